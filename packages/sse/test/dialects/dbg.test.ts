import { it } from "vitest";
import { agUi } from "../../src/index.ts";
import { agUiKind } from "../support/sessions/judge.ts";
import { makeSession } from "../support/sessions/made.ts";
import { LogServer } from "../support/sessions/server.ts";

it("x", async () => {
  const made = await makeSession({
    turns: [{ thinking: "", text: "", calls: ["look"], fails: [], broken: false }],
    moves: [],
    meanwhile: [],
    whenBusy: "queue",
    asksFirst: false,
    cites: false,
    cuts: [1, 0],
  } as never);
  const kind = agUiKind(agUi(), "1.0");
  const server = new LogServer(made, agUi());
  const real = server.fetch;
  server.fetch = async (...a) => {
    const r = await real(...a);
    const t = await r.text();
    console.log(String(a[1]?.body).slice(0, 600), "\n=>", t);
    return new Response(t, { headers: r.headers });
  };
  server.at = 14;
  const page = kind.page(server, server.history(14));
  console.log(JSON.stringify(page.shown()));
  await page.connect();
  console.log(JSON.stringify(page.shown()));
});
