import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { reservationIdOf } from "../../../examples/rocket-league-coach/src/base/reservation-id.ts";
import type { BackendClient } from "../../../examples/rocket-league-coach/src/front/backend-client.ts";
import { settleEnded } from "../../../examples/rocket-league-coach/src/front/settle-ended.ts";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "attacks-14",
  title: "A message of the Rocket League coach that is recorded later is recorded twice",
  state: "held",
  guard: {
    file: "examples/rocket-league-coach/test/settled-later.test.ts",
    title: "has the messages that it has answered, and not those that the next run begins with",
  },
  async attempt() {
    const store = memoryStore();
    const model = scriptedModel(async () => ({ text: "Ok." }), {});
    const slow = { ...model, stream: delayed(model.stream) };
    const agents = [
      agent({ name: "a", instructions: "i", model: slow, whenBusy: "queue", limits: { turns: 1 } }),
    ];
    const pawl = runtime({ agents, store });
    const say = (sessionId: string | undefined, input: string) =>
      pawl.run("a", { userId: "ada", sessionId, input, params: { request_id: input } });
    const first = say(undefined, "first");
    const { sessionId } = await first.started;
    await pause(20, "the first run is in progress: its model takes 100 ms");
    // It arrives during the first run, whose turns are over, so the next run answers it.
    const second = say(sessionId, "second");
    await Promise.all([first.result, second.result]);
    const log = await Array.fromAsync(store.read(sessionId, { types: ["run_started"] }));
    if (log.length !== 2) throw new Error(`There were ${log.length} runs.`);
    const recorded: string[] = [];
    const turn = (id: string) => ({
      reservation_id: reservationIdOf("ada", id),
      session_id: sessionId,
      user_id: "ada",
    });
    // The hooks of both runs did not reach the backend.
    const backend = {
      unsettled: async () => [turn("first"), turn("second")],
      abort: async (use: { partial_messages?: unknown }) =>
        void recorded.push(JSON.stringify(use.partial_messages ?? [])),
    } as unknown as BackendClient;
    await settleEnded(store, backend);
    const times = recorded.join().split("second").length - 1;
    if (times === 0) throw new Error(`The second message is not recorded: ${recorded}`);
    return brokenIf(times > 1, `"second" is recorded ${times} times`);
  },
};

function delayed<Args extends unknown[], T>(stream: (...args: Args) => AsyncIterable<T>) {
  return async function* (...args: Args): AsyncGenerator<T> {
    await pause(100, "a model takes its time, in which the second message arrives");
    yield* stream(...args);
  };
}
