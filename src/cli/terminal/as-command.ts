/** Who acts when a command does. */
export const asCommand = { client: "cli", via: "cli" } as const;
