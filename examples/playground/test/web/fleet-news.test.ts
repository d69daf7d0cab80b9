import { describe, expect, it } from "vitest";
import type { FleetView, RunView, WorkerState } from "../../web/fleet/fleet-view.ts";
import { newsBetween } from "../../web/fleet/news.ts";

function fleet(workers: Record<string, WorkerState>, runs: Partial<RunView>[] = []): FleetView {
  return {
    state: "on",
    canFreeze: true,
    limits: { workers: 4, runs: 200, places: 5, steps: 6, strandedSeconds: 10 },
    metrics: { active: 0, waiting: 0, stranded: 0, takeovers: 0, wakes: 0, wakeSeconds: 0 },
    workers: Object.entries(workers).map(([name, state]) => ({
      name,
      state,
      why: null,
      ready: null,
      active: null,
    })),
    runs: runs.map((run, index) => ({
      number: index + 1,
      state: "running",
      worker: null,
      steps: [],
      lostBy: [],
      ...run,
    })),
  };
}

const off: FleetView = { ...fleet({}), state: "off" };
const held = (worker: string, lostBy: string[] = []): Partial<RunView> => ({ worker, lostBy });

describe("the news of the fleet", () => {
  it.each([
    ["nothing new", fleet({ Robin: "ready" }), fleet({ Robin: "ready" }), []],
    ["a worker that starts", off, fleet({ Robin: "starting" }), []],
    ["a worker that is ready", fleet({ Robin: "starting" }), fleet({ Robin: "ready" }), ["Robin is ready."]],
    [
      "a killed worker with runs",
      fleet({ Robin: "ready" }, [held("Robin"), held("Robin")]),
      fleet({ Robin: "killed" }, [held("Robin"), held("Robin")]),
      ["Robin was killed. Its 2 runs continue as soon as another worker has a place."],
    ],
    [
      "a frozen worker with a run",
      fleet({ Robin: "ready" }, [held("Robin")]),
      fleet({ Robin: "frozen" }, [held("Robin")]),
      ["Robin is frozen. Its run continues as soon as another worker has a place."],
    ],
    [
      "a killed worker without runs",
      fleet({ Robin: "ready" }),
      fleet({ Robin: "killed" }),
      ["Robin was killed."],
    ],
    ["a run that was sent", fleet({}), fleet({}, [{ state: "waiting" }]), ["1 run was sent."]],
    [
      "runs that were taken over",
      fleet({ Wren: "ready" }, [held("Robin"), held("Robin"), held("Wren")]),
      fleet({ Wren: "ready" }, [held("Wren", ["Robin"]), held("Wren", ["Robin"]), held("Wren")]),
      ["Wren took over 2 runs."],
    ],
    [
      "the end of all runs",
      fleet({}, [{}, { state: "done" }]),
      fleet({}, [{ state: "done" }, { state: "done" }]),
      ["All 2 runs have ended."],
    ],
    ["the end of the fleet", fleet({ Robin: "ready" }), off, ["Everything is stopped."]],
  ])("say %s", (_, before, after, lines) => {
    expect(newsBetween(before, after)).toEqual(lines);
  });
});
