import { createAgentClient, until } from "@pawl/client";
import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-20",
  title: "An answer of which nothing is kept leaves an empty message in @pawl/client",
  state: "held",
  guard: {
    file: "packages/client/test/reload.test.ts",
    title: "K1 W4 a discarded answer leaves nothing on the page",
  },
  attempt: async () => {
    const thinking = "Let me think about this for a good while.";
    const model = scriptedModel([
      { thinking, text: "One.", deltas: 20, delayPerEventMs: 10 },
      { text: "Two." },
    ]);
    const served = await serve(model, { of: { whenBusy: "interrupt" } });
    const client = createAgentClient({ url: served.url });
    await client.send("one");
    await until(client, ({ messages }) => messages.at(-1)?.parts[0]?.type === "thinking");
    await client.send("two");
    await until(client, ({ phase, messages }) => phase === "idle" && messages.at(-1)?.text === "Two.");
    const shown = client
      .getState()
      .messages.map(({ text }) => text)
      .join(" / ");
    return mustHold(shown === "one / two / Two.", shown);
  },
};
