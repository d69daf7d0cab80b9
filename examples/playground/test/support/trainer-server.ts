import { join } from "node:path";
import {
  agent,
  isToolUse,
  type JsonObject,
  type ModelClient,
  memoryFiles,
  memoryStore,
  runtime,
} from "@pawl/core";
import { type TrainerDeps, trainerTools } from "@pawl/example-trainer";
import { dataSource } from "@pawl/knowledge";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { Hono } from "hono";
import { playgroundApp } from "../../server/app.ts";
import { browserIdentity } from "../../server/browser-identity.ts";
import { type Listening, listen } from "../../server/listen.ts";
import { trainerReply } from "./trainer-script.ts";
import { progressAfter } from "./workouts.ts";

export interface TrainerServer extends Listening {
  /** The request fields that came with messages, without the texts. */
  received: readonly JsonObject[];
  /**
   * Pauses the model once it has begun to write a call of this tool. Returns a function that continues it.
   */
  hold(toolName: string): () => void;
}

/** A source without data, which needs no database. */
const profile = dataSource({
  name: "user_profile",
  displayName: "Profile",
  description: "Who they are.",
  fetch: async () => ({}),
  format: () => "Ada.",
});

/**
 * Starts the playground with the trainer's tools and a scripted model. Its database is a list of logged
 * workouts, because the tests are about the page.
 *
 * @param pace the model's time for an answer, in milliseconds
 */
export async function trainerServer({ pace = 0, port = 0 } = {}): Promise<TrainerServer> {
  const logged: string[] = [];
  const trainer = {
    settings: async () => ({ weight_unit: "kg" }),
    logWorkout: async (userId: string) => void logged.push(userId),
  };
  let ids = 0;
  const tools = trainerTools({ newId: () => `e${++ids}`, sources: [profile] });
  const { model, hold } = holding(scriptedModel((request) => trainerReply(request, pace)));
  const acting = agent({ name: "trainer", model, instructions: "Train.", tools, limits: { turns: 20 } });
  const talking = agent({
    name: "coach",
    model: scriptedModel(() => ({ text: "Hello." })),
    instructions: "Be kind.",
  });
  const store = memoryStore();
  const pawl = runtime<TrainerDeps>({
    agents: [talking, acting],
    store,
    deps: () => ({ trainer }) as unknown as TrainerDeps,
  });
  const received: JsonObject[] = [];
  const identity = browserIdentity();
  const userOf = (request: Request) => identity.userOf(request)?.userId ?? "";
  const talk = handler({
    runtime: pawl,
    agent: "trainer",
    authorize: identity.userOf,
    basePath: "/api/trainer",
    extra: {
      fields: ["currentWorkout"],
      read: (sent) => {
        received.push(sent);
        return {};
      },
    },
  });
  const info = { model: "scripted", simulated: true };
  const agents = ["coach", "trainer"];
  const webDir = join(import.meta.dirname, "..", "..", "dist", "web");
  const app = new Hono();
  app.use("/api/*", identity.middleware);
  app.get("/api/trainer/progress", (c) => {
    const user = userOf(c.req.raw);
    return c.json(progressAfter(logged.filter((who) => who === user).length));
  });
  app.all("/api/trainer/*", (c) => talk(c.req.raw));
  app.route(
    "/",
    playgroundApp({ runtime: pawl, files: memoryFiles(), agents, info, host: "localhost", webDir }),
  );
  return { ...(await listen(app, { host: "localhost", port })), received, hold };
}

/** Wraps a model so that tests can pause it within a call, and then look at the page without haste. */
function holding(model: ModelClient): { model: ModelClient; hold: TrainerServer["hold"] } {
  let held: { toolName: string; until: Promise<void> } | undefined;
  return {
    model: {
      ...model,
      async *stream(request, options) {
        let writes: string | undefined;
        for await (const event of model.stream(request, options)) {
          yield event;
          if (event.type === "content_block_start" && isToolUse(event.content_block))
            writes = event.content_block.name;
          // The first piece of an input is empty and shows nothing yet.
          const isWriting = event.type === "content_block_delta" && event.delta.partial_json !== "";
          if (isWriting && writes === held?.toolName) await held?.until;
        }
      },
    },
    hold: (toolName) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { toolName, until: promise };
      return () => {
        held = undefined;
        resolve();
      };
    },
  };
}
