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
    "Reasoning of Chat Completions is not stored. If your agent has tools, turn reasoning off in `body`.",
  ],
  [
    "Fields of a call that come after its name",
    "A call is stored as soon as its name is there. No report of a server that sends them later was found.",
  ],
  ["Signatures on text (Gemini)", "Gemini recommends to send them back, and does not require it."],
  [
    "Further fields of a call, e.g. signatures, after a change of the model",
    "They are sent back only to the model that sent them.",
  ],
  [
    "Several answers to one request (`n`)",
    "Pawl would use one answer, and the API charges all. So `n` is refused in `body`.",
  ],
  ["The Responses API", "A model of OpenAI that refuses tools over Chat Completions needs a gateway."],
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

const sourceOf = ({ source }: DialectCase): string => source.replace(/https:\/\/\S+/, "<$&>");

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
      else
        for (const { source } of list)
          expect(source).toMatch(/^(inferred from )?(https:\/\/\S+$|npm \S+@\d)/);
      expect("absent" in list || list.length > 0).toBe(true);
    }
  }
  expect(new Set(dialects.map(({ name }) => name)).size).toBe(dialects.length);
});

it("B4 the page of dialects says what the tests play", async () => {
  const text = `# Dialects of servers

This page lists answers that servers of Chat Completions and of the Messages API send, and what
\`openai()\` and \`claude()\` make of them. The answers are data in \`@pawl/testing/dialects\`. They were
written by hand from documentation and from reports of users; no server was called. The tests of both
packages play each answer twice: in one packet, and in packets of seven bytes. A model client of your own
can run the same contract:

\`\`\`ts
import { openai } from "@pawl/openai";
import { modelClientContract } from "@pawl/testing/dialects";

const cases = modelClientContract("chat", ({ fetch, model }) => openai(model, { apiKey: "any", fetch }));
for (const { run } of cases.slice(0, 5)) await run();
\`\`\`

How to read the tables of each server:

- **outcome** is the stop reason of the answer, or what happens to the failed request. "Retried" means that
  \`resilient()\` tries again; "fails" means that it does not. "Shortened" means that the runtime shortens the
  prompt and asks once more; if that is too long as well, the run ends as \`context_window\`.
- **source** shows this answer. After "inferred from", it shows only a part of the answer or a close
  relative: nothing was found that shows the answer itself.

The next two tables count the answers of each kind. A dash has its reason in the section of the server.
To update the page, run \`vitest -u\` on \`dialects-page.test.ts\` of \`@pawl/testing\`.

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
