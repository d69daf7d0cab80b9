import { createAgentClient, until } from "@pawl/client";
import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "bugs-18",
  title:
    "A page whose token expires while it reconnects stays offline, although it has a new one a moment later",
  state: "held",
  guard: {
    file: "packages/client/test/tokens.test.ts",
    title: "B5 W4 while the page reconnects: it reads on once headers() has a new one",
  },
  attempt: async () => {
    let valid = "t1";
    let token = "t1";
    let refused = 0;
    const model = scriptedModel(() => ({ text: "word ".repeat(80), deltas: 40, delayPerEventMs: 30 }));
    const served = await serve(model, {
      authorize: (request) => {
        if (request.headers.get("authorization") === `Bearer ${valid}`) return { userId: "ada" };
        refused += 1;
        // The page gets its new token a moment after it was refused.
        setTimeout(() => {
          token = "t2";
        }, 200);
        return null;
      },
    });
    const headers = () => ({ authorization: `Bearer ${token}` });
    const client = createAgentClient({ url: served.url, headers });
    await client.send("go");
    await until(client, ({ messages }) => (messages.at(-1)?.text ?? "").includes("word"));
    valid = "t2";
    for (const socket of served.sockets) socket.destroy();
    const isOver = until(client, ({ run }) => run?.stop !== undefined, AbortSignal.timeout(6_000));
    const readsOn = await isOver.then(
      () => true,
      () => false,
    );
    const { connection, error } = client.getState();
    return mustHold(readsOn && refused > 0, { refused, connection, error: error?.code });
  },
};
