/** What an answer of a server may consist of, as exceeds() counts: it is parsed in the one thread that serves everybody. */
export const answerBounds = { depth: 512, values: 2_000_000 };
