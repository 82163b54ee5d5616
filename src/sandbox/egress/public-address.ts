import { BlockList, isIPv4, isIPv6 } from "node:net";

/** IANA's special-purpose blocks that no public server answers from, and the addresses of cloud machines' own services. */
const closed4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** All global unicast is in here: loopback, private, link-local, mapped, NAT64 and multicast addresses are not. */
const open6 = ["2000::/3"];

/** What of it leads elsewhere: Teredo and other protocols, documentation, 6to4, AS112. */
const closed6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const closed = blockList(closed4, "ipv4");
const global6 = blockList(open6, "ipv6");
const special6 = blockList(closed6, "ipv6");

/** Whether an address is that of a public host. False for what is not an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
}

function blockList(subnets: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", bits] = subnet.split("/");
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
