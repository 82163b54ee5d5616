// Loaded into a gateway by the suite's own test: a message with "freeze me" in it keeps the gateway at work for a second.
const { parse } = JSON;
JSON.parse = (text, reviver) => {
  if (typeof text === "string" && text.includes("freeze me") && text.includes("list_tools")) {
    for (let step = 0; step < 2e9; step++);
  }
  return parse(text, reviver);
};
