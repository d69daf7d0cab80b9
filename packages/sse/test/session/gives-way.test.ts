import { agent, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { countedTurns, longRun } from "../../../../test/support/turns.ts";
import { agUi, aiSdk, handler } from "../../src/index.ts";

async function counted(dialect: typeof aiSdk | typeof agUi | undefined) {
  const { store, most } = countedTurns();
  await store.sessions.create({ id: "s", userId: "u1", agent: "coach" });
  await store.append("s", longRun(1_500), { appendId: "1" });
  const coach = agent({ name: "coach", model: scriptedModel([]), instructions: "Be kind." });
  const serve = handler({
    runtime: runtime({ agents: [coach], store }),
    agent: "coach",
    authorize: () => ({ userId: "u1" }),
    ...(dialect && { dialect: dialect() }),
  });
  const get = async (path: string) => await (await serve(new Request(`http://localhost${path}`))).text();
  return { most, get };
}

it.each([
  ["/sessions/s", undefined],
  ["/sessions/s?last=1", undefined],
  ["/sessions/s/events", undefined],
  ["/runs/s", aiSdk],
  ["/runs/s?last=1", aiSdk],
  ["/runs/s", agUi],
])("B8 GET %s gives way to the event loop after 500 events", async (path, dialect) => {
  const { most, get } = await counted(dialect);
  const counts = await most(() => get(path));
  expect(counts.result).toContain("c1499");
  expect(counts.most).toBeGreaterThan(1);
  expect(counts.most).toBeLessThanOrEqual(1_500);
});
