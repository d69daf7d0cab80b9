export { type Config, readConfig } from "./config.ts";
export { sharedTokens, type Tokens } from "./tokens.ts";
