// The contract of event stores over a file, whose path is the first argument. Prints what failed, as JSON.
import process from "node:process";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { eventStoreContract } from "@pawl/testing";

const store = sqliteStore(nodeSqlite(process.argv[2]));
const failed = [];
const cases = eventStoreContract(async () => ({ store }));
for (const { name, run } of cases) await run().catch((error) => failed.push(`${name}: ${error}`));
console.log(JSON.stringify({ cases: cases.length, failed }));
process.exit(0);
