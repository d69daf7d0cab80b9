import { recordOf } from "@pawl/planning";
import { describe, expect, it } from "vitest";
import { questionOf } from "../web/clarify/question.ts";
import { rowsOf, totalsOf } from "../web/details/rows.ts";
import { treeOf } from "../web/details/tree.ts";
import { citedIn, foundIn, spoken, withoutPartial } from "../web/runs/citations.ts";
import { foldRuns } from "../web/runs/fold.ts";
import { piecesOf } from "../web/runs/marks.ts";
import { planOf } from "../web/runs/plan.ts";
import { runOf } from "../web/runs/run.ts";
import { chen } from "./support/agent-world.ts";
import { BEGIN, ended, eventsOf, MAIL, planned, result, storyOf, task, turn } from "./support/page-story.ts";

describe("the page's runs", () => {
  it("X4 M3 folds events one by one into the same runs as all at once, and into planning's record", async () => {
    const events = (await storyOf()).answered;
    let step: ReturnType<typeof foldRuns> | undefined;
    for (let count = 1; count <= events.length; count += 1) {
      step = foldRuns(step, events.slice(0, count));
      expect(step.runs.at(-1)?.record).toEqual(recordOf(events.slice(0, count)));
    }
    expect(step).toEqual(foldRuns(undefined, events));
    // A replay goes back: what was folded further on is dropped.
    expect(foldRuns(step, events.slice(0, 6))).toEqual(foldRuns(undefined, events.slice(0, 6)));
    const [run] = step?.runs ?? [];
    expect(run?.plans.map(({ by }) => by)).toEqual(["planner", "planner", "progress"]);
    expect(run?.models.map(({ by, answers }) => [by, answers])).toEqual([
      ["planning", 3],
      ["answer", 2],
    ]);
    expect(planOf(run!)?.tasks.map(({ state }) => state)).toEqual(["done", "done", "done"]);
  });

  it("X4 finds the run of a message, also of a retry", () => {
    const again = ["run_started", { run_id: "r2", agent: "a", agent_version: "1", retry_of: "r1" }] as const;
    const next = ["run_started", { run_id: "r3", agent: "a", agent_version: "1" }] as const;
    const { runs } = foldRuns(undefined, eventsOf(...BEGIN, ended("error"), again, ended(), next));
    expect(runs.map(({ ids }) => ids)).toEqual([["r1", "r2"], ["r3"]]);
    expect(runOf(runs, "run:r2:14")).toBe(runs[0]);
    expect(runOf(runs, undefined)).toBe(runs[1]);
    expect(runOf(runs, "run:nobody")).toBeUndefined();
  });

  it("X4 leaves out events that it cannot read, and keeps the rest", () => {
    const odd = [
      ["planning.plan", { run_id: "r1", by: "planner", plan: null }],
      ["planning.plan", null],
      ["planning.plan", { run_id: "r1", by: 7, plan: { tasks: "none" } }],
      ["planning.review", { run_id: "r1" }],
      ["planning.docs", { run_id: "r1", chosen: 5, left: null }],
      ["planning.of_tomorrow", { run_id: "r1", plan: "odd" }],
      ["tool_result", { call_id: 5 }],
      ["llm_response", {}],
      ["spending", { tokens: "many" }],
    ] as const;
    const { runs } = foldRuns(
      undefined,
      eventsOf(...BEGIN, ...odd, planned([task("a"), task("a"), { id: 3 }])),
    );
    expect(runs).toHaveLength(1);
    expect(planOf(runs[0]!)?.tasks.map(({ id }) => id)).toEqual(["a"]);
    expect(() => [rowsOf(runs[0]!), treeOf(runs[0]!.record)]).not.toThrow();
  });

  it("X4 M5 M8 shows what the reviewer and the agent have changed", () => {
    const first = planned([task("mail"), task("chat"), task("sum", { depends_on: ["mail", "chat"] })]);
    const reviewed = [
      task("mail", { title: "Search again" }),
      task("files"),
      task("sum", { depends_on: ["mail"] }),
    ];
    const done = reviewed.map((one) => ({ ...one, status: "done" }));
    const { runs } = foldRuns(
      undefined,
      eventsOf(...BEGIN, first, planned(reviewed, "reviewer"), planned(done, "progress")),
    );
    const plan = planOf(runs[0]!);
    expect(plan?.tasks.map(({ id, change }) => [id, change?.kind, change?.by])).toEqual([
      ["mail", "changed", "reviewer"],
      ["files", "added", "reviewer"],
      ["sum", "changed", "reviewer"],
    ]);
    expect(plan?.removed).toMatchObject([{ id: "chat", change: { by: "reviewer", kind: "removed" } }]);
  });

  it("X4 shows nothing of a plan that was redacted, also in an earlier run", () => {
    const secret = planned([task("a", { title: "The secret" }), task("b")]);
    const next = [["run_started", { run_id: "r2", agent: "a", agent_version: "1" }]] as const;
    const before = [...BEGIN, secret, planned([task("b")], "reviewer"), ended(), ...next] as const;
    const events = eventsOf(...before);
    const live = foldRuns(undefined, events);
    expect(JSON.stringify(live)).toContain("The secret");
    const redaction = ["redaction", { seq: 3, of: "planning.plan", run_id: "r1" }] as const;
    const after = foldRuns(live, [...events, ...eventsOf(...before, redaction).slice(-1)]);
    expect(JSON.stringify(after)).not.toContain("The secret");
  });

  it("X4 M4 lists calls with their ends, and adds them up", () => {
    const names = ["a", "b", "c", "d", "e"].map(
      (id) => [id, id === "e" ? "search_slack" : "search_gmail"] as const,
    );
    const failure = { success: false, result: "x", report: { code: "ECONNREFUSED" } };
    const { runs } = foldRuns(
      undefined,
      eventsOf(
        ...BEGIN,
        ...turn(names),
        result("a", "search_gmail", failure),
        result("b", "search_gmail", failure),
        result("c", "search_gmail", failure),
        result("d", "search_gmail", { skipped: "duplicate", spent: undefined }, 0),
        result(
          "e",
          "search_slack",
          { report: { connector: "slack", fragments: ["slack-1", "slack-2"] } },
          50,
        ),
      ),
    );
    const rows = rowsOf(runs[0]!);
    expect(rows.map(({ state, note }) => [state, note])).toEqual([
      ["failed", "failed (ECONNREFUSED)"],
      ["failed", "failed (ECONNREFUSED)"],
      ["failed", "refused after 3 failures (ECONNREFUSED)"],
      ["skipped", "skipped: the same call was made before"],
      ["ok", ""],
    ]);
    expect(rows.at(-1)).toMatchObject({ name: "Search Slack", by: "Slack", ms: 50, results: 2 });
    expect(totalsOf(rows)).toMatchObject({ ms: 140, results: 2 });
    expect(totalsOf(rows).usd).toBeCloseTo(0.0016, 6);
  });
});

describe("the page's citations", () => {
  it("X4 numbers documents by their first citation, and leaves other brackets alone", () => {
    const text = "A [slack-2b], B [gmail-1a][slack-2b] C [gmail-1a, drive-3c] [note] [1] [gmail] `x` [a-b]";
    expect(citedIn(text)).toEqual(["slack-2b", "gmail-1a", "drive-3c"]);
    expect(spoken("So it is [gmail-1a, slack-2b]. And [slack-2b]")).toBe(
      "So it is (sources 1, 2). And (source 2)",
    );
    for (const end of ["[", "[gm", "[gmail-", "[gmail-1a", "[gmail-1a, sl"])
      expect(withoutPartial(`It is so ${end}`)).toBe("It is so");
    for (const whole of ["It is so [gmail-1a]", "a [Not this", "x[0"])
      expect(withoutPartial(whole)).toBe(whole);
  });

  it("X4 finds documents in results, with their words, whatever else a result has", () => {
    const results = [MAIL, null, 5, { id: 3 }, { id: "x" }];
    const again = { id: MAIL.id, source: "gmail", title: "Again", text: "…" };
    const found = foundIn([{ results }, again, null, "text", { results: 5 }]);
    expect([...found.keys()]).toEqual([MAIL.id]);
    expect(found.get(MAIL.id)).toMatchObject({ title: "Again", words: ["q4"] });
  });

  it("X4 marks whole words, in any case and alphabet, and takes them literally", () => {
    const marked = (text: string, words: string[]) =>
      piecesOf(text, words)
        .map(({ text: piece, found }) => (found ? `<${piece}>` : piece))
        .join("");
    expect(marked("Q4 and q4, not Q40 or FQ4.", ["q4"])).toBe("<Q4> and <q4>, not Q40 or FQ4.");
    expect(marked("Müller, müllers", ["müller"])).toBe("<Müller>, müllers");
    expect(marked("a.c abc $9 (x)", ["a.c", "$9", "(x)"])).toBe("<a.c> abc <$9> <(x)>");
    expect(marked("budget plan", ["budget", "budget plan"])).toBe("<budget plan>");
    expect(marked("<script>", ["script", "", " "])).toBe("<<script>>");
    expect(piecesOf("", ["a"])).toEqual([]);
    const long = "word ".repeat(2_000);
    expect(piecesOf(long, ["x".repeat(10_000), "word"]).filter(({ found }) => found)).toHaveLength(2_000);
  });
});

it("X4 M2 reads a question's people and choices, and leaves out what is not valid", () => {
  const data = { initials: "AR", role: "Manager", team: "Enterprise", last: { title: "#sales" } };
  const choices = [
    { id: chen.email, label: "Alex Chen", detail: "Director", data },
    { id: chen.email, label: "Twice" },
    { id: "2026", label: "2026" },
    { id: "", label: "none" },
    null,
    "text",
  ];
  const { text, choices: shown } = questionOf({ question: "Which?", choices, attempt: "1" });
  expect(text).toBe("Which?");
  expect(shown.map(({ label, person }) => [label, person?.team, person?.last?.title])).toEqual([
    ["Alex Chen", "Enterprise", "#sales"],
    ["2026", undefined, undefined],
  ]);
  for (const odd of [null, 5, "x", [], { choices: {} }]) expect(questionOf(odd).choices).toEqual([]);
});
