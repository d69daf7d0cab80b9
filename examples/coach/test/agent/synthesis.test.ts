import { memoryFiles, memoryStore, runtime } from "@pawl/core";
import { type ParsedRequest, type Reply, type StrictModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { coach, coachDeps } from "../../src/index.ts";
import { MORNING } from "../support/harness.ts";

const long = (what: string) =>
  `# ${what}\n\n${`What matters here is said in a whole sentence, for ${what}. `.repeat(40)}`;
const save = (file_type: string, n: number) => ({
  name: "save_file",
  input: { file_type, content: long(`${file_type} ${n}`) },
});
const synthesis: Reply[] = [
  {
    text: "Let me put this together.",
    tools: [save("overview", 1), save("life-plan", 1), save("sage-context", 1)],
  },
  {
    text: "One more look.",
    tools: [{ name: "save_file", input: { file_type: "capture", content: "A note." } }],
  },
  { tools: [{ name: "save_file", input: { file_type: "capture", content: "Another note." } }] },
  { tools: [{ name: "complete_session", input: { type: "session", summary: "Mapped." } }] },
  { text: "There it is." },
];

/** Runs a synthesis of five rounds, with or without shortening file contents in later requests. */
async function measured(isShortened: boolean): Promise<StrictModel> {
  const model = strictModel({ script: synthesis });
  const made = coach({ model });
  const tools = [...made.tools.values()].map((one) => ({
    ...one,
    ...(isShortened ? {} : { shortenInput: undefined }),
  }));
  const whole = { ...made, tools: new Map(tools.map((one) => [one.name, one])) };
  const store = memoryStore();
  const deps = coachDeps({ files: memoryFiles(), store, now: () => MORNING });
  const pawl = runtime({ agents: [whole], store, deps });
  const { actions } = await pawl.run("coach", {
    userId: "ada",
    input: "Finish it",
    metadata: { type: "life_mapping" },
  }).result;
  expect(actions.map(({ success }) => success)).toEqual(Array.from({ length: 6 }, () => true));
  expect(model.rejected).toEqual([]);
  expect(model.requests).toHaveLength(5);
  return model;
}

/** Counts the tokens that requests send again: the model's earlier answers and their tool results. */
function resent(requests: readonly ParsedRequest[]): number {
  const again = requests.flatMap(({ messages }) => messages.slice(1));
  return Math.ceil(JSON.stringify(again).length / 4);
}

describe("a synthesis of three large files in five rounds", () => {
  it("C5 X1 resends at most half as much as without truncation, and never changes what was sent", async () => {
    const [short, whole] = [await measured(true), await measured(false)];
    const [few, many] = [resent(short.requests), resent(whole.requests)];
    console.info(
      `life-mapping synthesis, tokens sent again: ${many} whole, ${few} shortened (${Math.round((1 - few / many) * 100)} % saved)`,
    );
    expect(few).toBeLessThanOrEqual(many / 2);
    for (const model of [short, whole]) {
      for (const [n, request] of model.requests.entries()) {
        const next = model.requests[n + 1];
        if (next === undefined) continue;
        expect(JSON.stringify([next.system, next.tools])).toBe(
          JSON.stringify([request.system, request.tools]),
        );
        expect(plain(next.messages.slice(0, request.messages.length))).toBe(plain(request.messages));
      }
    }
  });

  it("C5 resends in full what was not saved", async () => {
    const content = long("a");
    const model = strictModel({
      script: [
        { tools: [{ name: "save_file", input: { file_type: "domain", content } }] },
        { text: "Which area was it?" },
      ],
    });
    const store = memoryStore();
    const pawl = runtime({
      agents: [coach({ model })],
      store,
      deps: coachDeps({ files: memoryFiles(), store }),
    });
    await pawl.run("coach", { userId: "ada", input: "Save" }).result;
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(content.slice(10, 200));
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("[saved:");
  });
});

/** Removes cache breakpoints: they move from request to request and are not part of the content. */
function plain(messages: ParsedRequest["messages"]): string {
  return JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value));
}
