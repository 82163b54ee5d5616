import { echo } from "mcp_tools/everything";
import { read_text_file } from "mcp_tools/filesystem";
import { create_entities, open_nodes } from "mcp_tools/memory";

const { content } = await read_text_file({ path: "orders.csv" });
const [header = "", ...lines] = content.trim().split("\n");
const columns = header.split(",");
const orders = lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [columns[at], cell])));

const groups = new Map<string, { sold: number; returned: number }>();
for (const { region, product, quantity, unit_price, status } of orders) {
  const group = groups.get(`${product}, ${region}`) ?? { sold: 0, returned: 0 };
  group.sold += quantity * unit_price;
  if (status === "returned") group.returned += quantity * unit_price;
  groups.set(`${product}, ${region}`, group);
}
const worst = [...groups]
  .map(([name, { sold, returned }]) => ({ name, sold: Math.round(sold), share: returned / sold }))
  .sort((left, right) => right.share - left.share)
  .slice(0, 3);

await create_entities({
  entities: worst.map(({ name, sold, share }) => ({
    name,
    entityType: "returns",
    observations: [`${(share * 100).toFixed(1)}% of ${sold} EUR came back`],
  })),
});
const { entities } = await open_nodes({ names: worst.map(({ name }) => name) });
console.log(await echo({ message: `${orders.length} orders read, ${entities.length} findings kept in memory` }));
entities;
