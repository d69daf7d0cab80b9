import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockDirectory } from "../../src/embedded/directory-lock.ts";

it("U5 says which Node it needs where `node:sqlite` is missing, and makes no directory", async () => {
  const directory = join(tmpdir(), `pawl-no-sqlite-${crypto.randomUUID()}`);
  const cause = new Error("No such built-in module: node:sqlite");
  await expect(lockDirectory(directory, () => Promise.reject(cause))).rejects.toMatchObject({
    code: "config",
    message: `\`embeddedStore()\` needs Node 22.18 or newer; this is Node ${process.versions.node}, without \`node:sqlite\`.`,
    cause,
  });
  expect(existsSync(directory)).toBe(false);
});
