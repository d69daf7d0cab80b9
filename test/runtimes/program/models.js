// The models of `@pawl/testing`, in a Worker without `nodejs_compat`.
import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { scriptedModel, strictModel } from "@pawl/testing";

const place = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const look = tool({ name: "look", description: "Looks.", input: jsonSchema(place), execute: () => "rain" });
const script = [
  { thinking: "Hm.", tools: [{ name: "look", input: { city: "Oslo" } }], latencyMs: 1 },
  { text: "It rains.", delayPerEventMs: 1 },
];

export default {
  async fetch(request) {
    const isStrict = new URL(request.url).pathname === "/strict";
    const model = isStrict ? strictModel({ script }) : scriptedModel(script);
    const walker = agent({ name: "walker", model, instructions: "Walk.", tools: [look] });
    const pawl = runtime({ agents: [walker], store: memoryStore() });
    const { text, stop } = await pawl.run("walker", { userId: "ada", input: "Walk" }).result;
    return Response.json({ text, stop: stop.type, rejected: model.rejected ?? [] });
  },
};
