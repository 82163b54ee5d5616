// What one tool returns becomes the argument of the next, and only the end of the chain is printed.
//
//   mcp-coordinator run examples/basic-chaining.ts --config examples/configs/local.json
import { echo, get_sum } from "mcp_tools/everything";
import { read_text_file } from "mcp_tools/filesystem";

const { content } = await read_text_file({ path: "sales.csv" });
const sales = content
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split(","))
  .map(([region, product, revenue]) => ({ region, product, revenue: Number(revenue) }));

const revenueOf = (product: string) =>
  sales.filter((sale) => sale.product === product).reduce((sum, sale) => sum + sale.revenue, 0);

const sentence = await get_sum({ a: revenueOf("office chair"), b: revenueOf("desk lamp") });
console.log(await echo({ message: sentence }));
