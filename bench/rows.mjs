// Rows of a table, as many as make a JSON text of about so many megabytes.
const rowBytes = 151;
const cities = ["Lisbon", "Osaka", "Quito", "Turin", "Accra"];

export const rowsIn = (megabytes) => Math.round((megabytes * 1e6) / rowBytes);

export function rowsOf(megabytes) {
  return Array.from({ length: rowsIn(megabytes) }, (_, index) => ({
    id: 1e6 + index,
    customer: `Customer ${index % 9973}`,
    city: cities[index % cities.length],
    amount: (index % 7919) / 100,
    paid: index % 3 === 0,
    note: "delivered to the neighbour, who was at home all afternoon",
  }));
}
