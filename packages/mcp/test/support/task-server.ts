import { serve } from "./servers.ts";
import { text } from "./world.ts";

/** A task as its server keeps it. */
export interface Kept {
  taskId: string;
  status: string;
  statusMessage?: string;
  ttlMs: number | null;
  pollIntervalMs?: number;
  result?: unknown;
  error?: unknown;
  inputRequests?: Record<string, unknown>;
}

interface Rpc {
  id?: number;
  method?: string;
  params?: { taskId?: string; inputResponses?: Record<string, unknown>; _meta?: Record<string, unknown> };
}

/** What a test does to the task: called at each `tasks/get`, with how often it was asked before. */
type Step = (task: Kept, times: number) => unknown;

/** A server of 2026-07-28 whose tool `it` becomes a task, as the extension's specification says. */
export function taskServer(step: Step, made: Partial<Kept> = {}) {
  const tasks = new Map<string, Kept>();
  const updates: unknown[] = [];
  const cancelled: unknown[] = [];
  const capabilities: unknown[] = [];
  const asked = new Map<string, number>();
  let down = false;
  let stops = false;
  const answer = (id: unknown, result: object) => Response.json({ jsonrpc: "2.0", id, result });
  const refuse = (id: unknown, code: number, message: string) =>
    Response.json({ jsonrpc: "2.0", id, error: { code, message } });
  const stamp = "2026-11-23T00:00:00Z";
  const served = serve(
    (server) => void server.registerTool("it", {}, async () => text("never")),
    async (_request, body) => {
      const { id, method, params = {} }: Rpc = body === "" ? {} : JSON.parse(body);
      if (down) throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
      if (method === "tools/call") {
        capabilities.push(params._meta?.["io.modelcontextprotocol/clientCapabilities"]);
        const taskId = `task_${tasks.size + 1}`;
        const task: Kept = { taskId, status: "working", ttlMs: 60_000, pollIntervalMs: 250, ...made };
        tasks.set(task.taskId, task);
        return answer(id, { resultType: "task", createdAt: stamp, lastUpdatedAt: stamp, ...task });
      }
      if (!method?.startsWith("tasks/")) return undefined;
      const task = tasks.get(String(params.taskId));
      if (task === undefined) return refuse(id, -32_602, "Failed to retrieve task: Task not found");
      if (method === "tasks/cancel") {
        cancelled.push(params.taskId);
        if (stops) task.status = "cancelled";
        return answer(id, { resultType: "complete" });
      }
      if (method === "tasks/update") {
        updates.push(params.inputResponses);
        return answer(id, { resultType: "complete" });
      }
      const times = asked.get(task.taskId) ?? 0;
      asked.set(task.taskId, times + 1);
      const instead = (await step(task, times)) as Response | undefined;
      return (
        instead ?? answer(id, { resultType: "complete", createdAt: stamp, lastUpdatedAt: stamp, ...task })
      );
    },
  );
  return {
    ...served,
    tasks,
    updates,
    cancelled,
    capabilities,
    polls: () => served.bodies.filter(({ method }) => method === "tasks/get").length,
    /** From now on, tasks that are to be cancelled are. */
    setStops: () => {
      stops = true;
    },
    setDown: (isDown: boolean) => {
      down = isDown;
    },
  };
}

/** The result of a task that is done. */
export const done = (said: string) => ({ resultType: "complete", ...text(said) });

/** A request for a yes or a no. */
export const elicit = (message: string) => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
  },
});
