// What worked once is kept as a skill: checked, tested in the sandbox, versioned, importable by every later run.
//
//   mcp-coordinator run examples/building-skills.ts --config examples/configs/shop.json
//
// Then: mcp-coordinator skills run revenue_by_country --config examples/configs/shop.json
import { skills } from "coordinator";

const code = `
import { get_customer, list_orders } from "mcp_tools/shop";

/**
 * The revenue of all orders by the customer's country.
 * @param currency only orders in this currency
 */
export async function revenue_by_country(currency = "EUR"): Promise<Record<string, number>> {
  const orders: { customer: string; currency: string; amount: number }[] = [];
  let page = await list_orders();
  orders.push(...page.orders);
  while (page.next) {
    page = await list_orders({ cursor: page.next });
    orders.push(...page.orders);
  }
  const ids = [...new Set(orders.map(({ customer }) => customer))];
  const customers = await Promise.all(ids.map((id) => get_customer({ id })));
  const countryOf = new Map(customers.map(({ id, country }) => [id, country]));
  const revenue: Record<string, number> = {};
  for (const order of orders.filter((one) => one.currency === currency)) {
    const country = countryOf.get(order.customer) ?? "unknown";
    revenue[country] = (revenue[country] ?? 0) + order.amount;
  }
  return revenue;
}`;

const tests = `
import { strict as assert } from "node:assert";
import { revenue_by_country } from "skills/revenue_by_country";

const euros = await revenue_by_country();
assert.deepEqual(Object.keys(euros).sort(), ["DE", "FR"]);
assert.deepEqual(await revenue_by_country("XXX"), {});`;

const saved = await skills.save("revenue_by_country", code, { tests, tags: ["shop", "revenue"] });
console.log(`${saved.name} uses ${saved.tools.join(", ")}`);
console.log((await skills.search("revenue")).map(({ name }) => name));
