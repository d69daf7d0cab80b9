import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Cell, CLIENTS, type Client, FEATURES } from "./covered.ts";

const packages = join(import.meta.dirname, "../../..");
const page = join(packages, "../docs/clients.md");

/** The titles of a file's tests, as their source has them. */
const TITLE = /(?:\bit\(|\)\()\s*"((?:[^"\\]|\\.)*)"/g;

/** Returns what is wrong with a cell: its test does not exist, or does not run with every version. */
function problem({ each }: Pick<Client, "each">, cell: Cell): string | undefined {
  if ("because" in cell) return cell.because.length > 20 ? undefined : "gives no reason";
  const [file, title] = cell;
  const path = join(packages, file);
  if (!existsSync(path)) return `there is no file ${file}`;
  const source = readFileSync(path, "utf8");
  const isThere = Array.from(source.matchAll(TITLE), ([, found = ""]) => found).some((one) =>
    one.includes(title),
  );
  if (!isThere) return `${file} has no test "${title}"`;
  return each === undefined || each.test(source) ? undefined : `${file} does not run with every version`;
}

/** The versions of a client's packages that are installed. */
function versionsOf({ packages: names = [] }: Client): string[] {
  return names.map((name) => {
    const manifest = join(packages, "sse/node_modules", name, "package.json");
    return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
  });
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

function overview(): string {
  const rows = CLIENTS.flatMap((client) => {
    const marks = FEATURES.map((feature) => ("because" in client.cells[feature] ? "–" : "yes"));
    const versions = versionsOf(client);
    return (versions.length === 0 ? ["this repository's"] : versions).map((one) => [
      client.name,
      one,
      ...marks,
    ]);
  });
  return table(["client", "version", ...FEATURES], rows);
}

function section(client: Client): string {
  const rows = FEATURES.map((feature) => {
    const cell = client.cells[feature];
    return [feature, "because" in cell ? `not offered: ${cell.because}` : `\`${cell[0]}\`: ${cell[1]}`];
  });
  return [`### ${client.name}`, client.about, table(["feature", "test"], rows)].join("\n\n");
}

it("W2 each client's feature has a test that exists and runs with every version, or a reason", () => {
  const problems = CLIENTS.flatMap((client) =>
    FEATURES.flatMap((feature) => problem(client, client.cells[feature]) ?? []),
  );
  expect(problems).toEqual([]);
});

it("W2 a test that is not there, or that lacks a version, is a problem", () => {
  const [, aiSdk] = CLIENTS;
  const file = "sse/test/dialects/ai-sdk/use-chat.test.ts";
  const cells: Cell[] = [
    ["sse/test/none.test.ts", "any"],
    [file, "W2 is nobody's title"],
    [file, "asks after a reload too"],
    { because: "No." },
  ];
  expect(cells.map((cell) => problem(aiSdk ?? {}, cell))).toEqual([
    "there is no file sse/test/none.test.ts",
    `${file} has no test "W2 is nobody's title"`,
    `${file} does not run with every version`,
    "gives no reason",
  ]);
});

it("W2 the page of clients says what is tested", async () => {
  const text = `# Clients

This page lists the clients that are tested, with the real packages of npm, and the tests of each
feature. The first table has a row for each version; a dash has its reason in the section of the client.
Paths of tests are in \`packages\`; what follows a path is a part of the test's title. A test fails if a
named test does not exist or does not run with all versions of its client. To update the page, run
\`vitest -u\` on \`packages/sse/test/clients/page.test.ts\`.

- **reload**: the page shows the same after it was reloaded, and resumes what is in progress.
- **two tabs**: what one tab does is not done again by the other, which learns of it.
- **stop**, **retry**: the user stops a run, or tries a failed one again.
- **approval**, **question**: the user is asked, and the answer continues the run.
- **page tool**: the page runs a tool with \`runsIn: "client"\`, or answers for it.
- **file**: a file in the user's message. **source**: one that the answer cites or a tool has found.
  **output**: the structured output of the agent.
- **expiry**: a question that nobody has answered in time has its default, and does not block the page.

${overview()}

## Tests

${CLIENTS.map(section).join("\n\n")}
`;
  await expect(text).toMatchFileSnapshot(page);
});
