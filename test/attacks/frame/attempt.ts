import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import type { TestDatabase } from "../../support/database-on.ts";
import { type Attack, Broken, type Given, NotTried } from "./attack.ts";
import type { Verdict } from "./judge.ts";

// The process of an attack: `attempt.ts try <file>` sends "begun" and then the verdict to its parent, and
// `attempt.ts list <files>` sends what the files say about their attacks.
const [what, ...files] = process.argv.slice(2);
process.once("disconnect", () => process.exit(1));
const attacks = await Promise.all(files.map(read));
const answer = what === "list" ? attacks : await tried(attacks[0]);
process.send?.(answer, () => process.exit(0));

async function read(file: string): Promise<Attack> {
  const { attack } = await import(pathToFileURL(file).href);
  return attack;
}

async function tried(attack: Attack | undefined): Promise<Verdict> {
  const databases: TestDatabase[] = [];
  try {
    if (attack === undefined) throw new Error("No file was given.");
    process.send?.("begun");
    return { kind: "held", seen: await attack.attempt(given(databases)) };
  } catch (error) {
    if (error instanceof Broken) return { kind: "broken", seen: error.seen };
    if (error instanceof NotTried) return { kind: "not tried", seen: error.message };
    return { kind: "fault", seen: error instanceof Error ? `${error.stack}` : String(error) };
  } finally {
    await Promise.all(databases.map((database) => database.drop().catch(() => undefined)));
  }
}

function given(databases: TestDatabase[]): Given {
  return {
    folder: tmpdir(),
    async database() {
      const response = await fetch(`${process.env.PAWL_TEST_POSTGRES}`);
      const server = await response.text();
      if (!response.ok) throw new Error(server);
      // Most attacks need no database: they start faster without its drivers.
      const { databaseOn } = await import("../../support/database-on.ts");
      const database = await databaseOn(server);
      databases.push(database);
      return database;
    },
  };
}
