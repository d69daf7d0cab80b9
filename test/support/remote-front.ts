// A front server whose tools are in another process: `node remote-front.ts <database> <url> <session> <port>`.
// It runs the session's open run, or begins one.
import { agent, runtime } from "@pawl/core";
import { postgresStore } from "@pawl/postgres";
import { remoteTools } from "@pawl/remote";
import { scriptedModel } from "@pawl/testing";
import pg from "pg";

process.stdin.on("end", () => process.exit()).resume();

const [database, url = "", sessionId = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: database });
const coach = agent({
  name: "coach",
  model: scriptedModel(({ messages }) =>
    messages.some(({ role }) => role === "assistant")
      ? { text: "It is ordered." }
      : { tools: [{ name: "order", input: { item: "ball" } }] },
  ),
  instructions: "You order.",
  tools: remoteTools({ url }),
});
const pawl = runtime({ agents: [coach], store: postgresStore(pool), times: { leaseTtlMs: 500 } });
const credentials = { token: "tok_0123456789abcdef" };

console.log("ready");
const { run } = await pawl.view(sessionId, { userId: "ada" });
if (run === undefined || run === null)
  pawl.run("coach", { userId: "ada", sessionId, input: "Order!", credentials });
else {
  for await (const { type } of pawl.follow(sessionId, { resume: true, untilIdle: false, credentials }))
    if (type === "run_ended") break;
}
