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
import { pastSessions } from "../../server/past-sessions.ts";
import { trainerReply } from "./trainer-script.ts";
import { progressAfter } from "./workouts.ts";

export interface TrainerServer extends Listening {
  /** What came with messages beside their words. */
  received: readonly JsonObject[];
  /** Holds the model up where it has begun to write a call of this tool; the result lets it go on. */
  hold(toolName: string): () => void;
}

/** One that knows nothing of a user, and so needs no database. */
const profile = dataSource({
  name: "user_profile",
  displayName: "Profile",
  description: "Who they are.",
  fetch: async () => ({}),
  format: () => "Ada.",
});

/**
 * The playground with the trainer's own tools and a model that follows a script. Its database is a list of what was
 * logged, so that what is tested is the page.
 *
 * @param pace in about how many milliseconds the model answers
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
  app.get("/api/past-sessions", async (c) =>
    c.json({ sessions: await pastSessions(store, userOf(c.req.raw), c.req.query("agent") ?? "coach") }),
  );
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

/** A model that can be held up in the middle of a call, so that nothing has to be seen in passing. */
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
          // The first piece of an input is empty, and shows nothing.
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
