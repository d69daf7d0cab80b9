import { memoryFiles, memoryStore, runtime } from "@pawl/core";
import { coach, coachDeps, coachSkills } from "@pawl/example-coach";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "skills-in-public",
  title: "The page of the coach's user receives the text of its skills",
  state: "held",
  guard: { file: "examples/coach/test/agent/wire.test.ts", title: "sends no client the text of a skill" },
  async attempt() {
    const store = memoryStore();
    const model = scriptedModel([
      { tools: [{ name: "enter_structured_arc", input: { arc: "open_day" } }] },
      { text: "Good morning." },
    ]);
    const deps = coachDeps({ files: memoryFiles(), store });
    const pawl = runtime({ agents: [coach({ model })], store, deps });
    const serve = handler({ runtime: pawl, agent: "coach", authorize: () => ({ userId: "ada" }) });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ input: "I feel hopeless and want to die" });
    const answer = await serve(new Request("http://app/runs", { method: "POST", headers, body }));
    const live = await answer.text();
    const sessionId = answer.headers.get("x-pawl-session");
    const later = await (await serve(new Request(`http://app/sessions/${sessionId}/events`))).text();
    const sent = JSON.stringify(model.requests);
    const skills = coachSkills.filter(({ text }) => sent.includes(JSON.stringify(text).slice(1, 80)));
    if (skills.length === 0) throw new Error("The model read no skill.");
    const shown = skills.filter(({ text }) => (live + later).includes(JSON.stringify(text).slice(1, 80)));
    return brokenIf(shown.length > 0, `${shown.length} of ${skills.length} skills in public events`);
  },
};
