import { expect, test } from "vitest";
import { isPublicAddress } from "./public-address.ts";

test.each(["1.1.1.1", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.0.1", "192.0.1.1", "2606:4700:4700::1111"])(
  "%s is public",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([
  ["unspecified", ["0.0.0.0", "0.1.2.3", "::"]],
  ["loopback", ["127.0.0.1", "127.255.255.254", "::1"]],
  ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"]],
  ["link-local", ["169.254.1.1", "fe80::1", "fe80::1%lo", "fec0::1"]],
  ["a cloud's own services", ["169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "192.0.0.192"]],
  ["shared by a carrier", ["100.64.0.1", "100.127.255.255"]],
  ["documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"]],
  ["benchmarking", ["198.18.0.1", "198.19.255.255", "2001:2::1"]],
  ["multicast", ["224.0.0.1", "239.255.255.255", "ff02::1"]],
  ["reserved and broadcast", ["240.0.0.1", "255.255.255.255", "4000::1", "100::1"]],
  ["mapped and compatible", ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:1.1.1.1", "::7f00:1", "::ffff:0:1.1.1.1"]],
  ["NAT64", ["64:ff9b::7f00:1", "64:ff9b::101:101", "64:ff9b:1::1"]],
  ["6to4 and Teredo", ["2002:7f00:1::", "192.88.99.1", "2001:0:4136:e378::1"]],
  ["no address", ["", "localhost", "127.1", "0x7f.1", "2130706433", "[::1]", "1.1.1.1 ", "1.1.1.1\0"]],
])("not public: %s", (_kind, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});
