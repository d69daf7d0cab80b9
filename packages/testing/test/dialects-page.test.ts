import {
  type Dialect,
  type DialectCase,
  type DialectKind,
  dialectKinds,
  dialects,
} from "@pawl/testing/dialects";
import { expect, it } from "vitest";

const page = new URL("../../../docs/dialects.md", import.meta.url).pathname;
const kinds = Object.entries(dialectKinds) as [DialectKind, string][];

/** What servers send or want that Pawl does not support. */
const MISSING: readonly (readonly [what: string, why: string])[] = [
  [
    "Reasoning that a server wants back (`reasoning_content` of DeepSeek, `reasoning_details` of OpenRouter)",
    "Reasoning of Chat Completions is not stored. Turn it off in `body` while tools are used.",
  ],
  [
    "Fields of a call that come after its name",
    "A call is stored as soon as its name is there. No server was seen to send them later.",
  ],
  ["Signatures on text (Gemini)", "Gemini recommends them and does not require them."],
  [
    "Fields of a call after a change of the model",
    "They go back to the model that sent them, and to no other.",
  ],
  [
    "Several answers to one request (`n`)",
    "Only one is used, and all are charged. `n` is refused in `body`.",
  ],
  ["The Responses API", "OpenAI's models that refuse tools over Chat Completions need a gateway."],
];

const listOf = ({ cases }: Dialect, kind: DialectKind): readonly DialectCase[] => {
  const list = cases[kind];
  return "absent" in list ? [] : list;
};

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows.map(row)].join("\n");
}

function overview(api: Dialect["api"]): string {
  const shown = dialects.filter((dialect) => dialect.api === api);
  const head = ["", ...shown.map(({ name }) => name)];
  return table(
    head,
    kinds.map(([kind, title]) => [
      title,
      ...shown.map((dialect) => (listOf(dialect, kind).length > 0 ? `${listOf(dialect, kind).length}` : "–")),
    ]),
  );
}

function outcomeOf({ expected, wantsBack }: DialectCase): string {
  const { stop, calls, failure } = expected;
  const back = wantsBack === undefined ? "" : `, \`${Object.keys(wantsBack)[0]}\` goes back`;
  if (failure?.errorCode === "content_filter") return "`refusal`, by the filter";
  if (failure?.errorCode !== undefined) return "shortened, or `context_window`";
  if (failure !== undefined) return failure.retryable ? "retried" : "fails";
  return `${calls === undefined ? "" : `${calls.length === 1 ? "a call" : "calls"}, `}\`${stop}\`${back}`;
}

const sourceOf = ({ source }: DialectCase): string => (source.startsWith("http") ? `<${source}>` : source);

function sectionOf(dialect: Dialect): string {
  const rows = kinds.flatMap(([kind, title]) =>
    listOf(dialect, kind).map((one) => [title, one.title, outcomeOf(one), sourceOf(one)]),
  );
  const absences = kinds.flatMap(([kind, title]) => {
    const list = dialect.cases[kind];
    return "absent" in list ? [[title, list.absent]] : [];
  });
  return [
    `### ${dialect.title}`,
    table(["kind", "what the server sends", "outcome", "source"], rows),
    table(["not played", "why"], absences),
  ].join("\n\n");
}

const sections = (api: Dialect["api"]): string =>
  dialects
    .filter((dialect) => dialect.api === api)
    .map(sectionOf)
    .join("\n\n");

it("B4 every server has each kind of answer, or the reason why not", () => {
  for (const { name, cases } of dialects) {
    expect([name, Object.keys(cases).toSorted()]).toEqual([name, Object.keys(dialectKinds).toSorted()]);
    for (const list of Object.values(cases)) {
      if ("absent" in list) expect(list.absent).toMatch(/^[A-Z].*\.$/s);
      else for (const { source } of list) expect(source).toMatch(/^https:\/\/\S+$|^npm \S+@\d/);
      expect("absent" in list || list.length > 0).toBe(true);
    }
  }
  expect(new Set(dialects.map(({ name }) => name)).size).toBe(dialects.length);
});

it("B4 the page of dialects says what the tests play", async () => {
  const text = `# Dialects of servers

What servers of Chat Completions and of the Messages API were documented or reported to send, and what
\`openai()\` and \`claude()\` make of it. The answers are data in \`@pawl/testing/dialects\`, written by
hand from the sources that this page names. The tests of both packages play each one, whole and in
packets of seven bytes. A model client of your own passes the same contract:

\`\`\`ts
import { openai } from "@pawl/openai";
import { modelClientContract } from "@pawl/testing/dialects";

const cases = modelClientContract("chat", ({ fetch, model }) => openai(model, { apiKey: "any", fetch }));
for (const { run } of cases.slice(0, 5)) await run();
\`\`\`

No server was called for this page. \`vitest -u\` on \`dialects-page.test.ts\` of \`@pawl/testing\` writes it.

The tables count the answers of each kind that are played; – has its reason below.

## Chat Completions

${overview("chat")}

## The Messages API

${overview("messages")}

## What is not supported

${table(["what", "why"], MISSING)}

## The answers of Chat Completions

${sections("chat")}

## The answers of the Messages API

${sections("messages")}
`;
  await expect(text).toMatchFileSnapshot(page);
});
