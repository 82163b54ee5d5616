const regions = ["north", "east", "south", "west", "central", "overseas"];
const products = [
  "desk lamp",
  "office chair",
  "standing desk",
  "monitor arm",
  "keyboard",
  "headset",
  "webcam",
  "notebook",
];
const statuses = ["delivered", "delivered", "delivered", "delivered", "shipped", "returned"];
const notes = ["", "gift wrap", "call before delivery", "leave with neighbour", "invoice to company"];
const header = "order_id,placed_at,customer_email,city,region,product,quantity,unit_price,status,note";

/** A table of orders as CSV: made up, and the same every time. */
export function makeOrders(count) {
  const next = createSequence();
  const pick = (list) => list[next(list.length)];
  const rows = Array.from({ length: count }, (_, index) => {
    const region = pick(regions);
    // Something for the guest to find: chairs come back from overseas.
    const product = pick(products);
    const status = region === "overseas" && product === "office chair" && next(2) === 0 ? "returned" : pick(statuses);
    return [
      `ORD-${100_000 + index}`,
      new Date(Date.UTC(2026, 0, 1) + index * 3_120_000).toISOString(),
      `customer.${next(2500)}@example.org`,
      `city-${next(120)}`,
      region,
      product,
      1 + next(5),
      (9 + next(40_000) / 100).toFixed(2),
      status,
      pick(notes),
    ].join(",");
  });
  return `${[header, ...rows].join("\n")}\n`;
}

/** Whole numbers below a limit that look random and are not (a linear congruential generator). */
function createSequence() {
  let state = 20_261_115;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
