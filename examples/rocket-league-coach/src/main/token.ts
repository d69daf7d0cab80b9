// Prints a bearer token of a user, valid for an hour: `node src/main/token.ts ada`.
import { messageOf } from "@pawl/core";
import { readConfig } from "./config.ts";
import { secretsOf } from "./programs.ts";
import { loadEnvFile } from "./run.ts";
import { sharedTokens } from "./tokens.ts";

try {
  loadEnvFile();
  const { tokenSecret } = secretsOf(readConfig(process.env));
  console.log(await sharedTokens(tokenSecret).issue(process.argv[2] ?? "ada"));
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
