import { artifactIn } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { testDatabase } from "../../../test/support/postgres.ts";
import { exerciseTypes, trainerData, trainerRules } from "../src/index.ts";
import { embeddedPlace, type Place, told, world } from "./support/world.ts";

async function serverPlace(): Promise<Place> {
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  const pool = database.pool();
  await migrate(pool);
  return { store: postgresStore(pool), data: await trainerData(pool) };
}

describe.each([
  ["embedded Postgres", embeddedPlace],
  ["a Postgres server", serverPlace],
] as const)("12.9 over HTTP, on %s", (_, placed) => {
  it("X2 a session, a workout, its delivery, its log and its totals", async () => {
    const place = await placed();
    const made = await world({ place, rules: trainerRules({ speed: Number.POSITIVE_INFINITY }) });
    const { session } = (await (await made.ask("/sessions", { method: "POST" })).json()) as {
      session: { id: string; status: string };
    };
    expect(session.status).toBe("active");

    const json = {
      message: "A short chest session, please",
      sessionId: session.id,
      model: "claude-haiku-4-5",
    };
    const result = (await (await made.ask("/chat", { json })).json()) as {
      sessionId: string;
      iterations: number;
    };
    expect(result.sessionId).toBe(session.id);
    expect(result.iterations).toBeGreaterThanOrEqual(2);
    expect(result.iterations).toBeLessThanOrEqual(10);

    const actions = (await made.of(session.id, "tool_result")).map(({ data }) => data);
    const names = actions.map(({ tool_name }) => tool_name);
    expect(names.indexOf("message_notify_user")).toBeGreaterThan(names.indexOf("generate_workout"));
    const generated = actions.find(({ tool_name }) => tool_name === "generate_workout")?.result as Record<
      string,
      unknown
    >;
    const notified = actions.find(({ tool_name }) => tool_name === "message_notify_user")?.result as Record<
      string,
      unknown
    >;
    expect(generated.success).toBe(true);
    expect(generated.artifact_id).toMatch(/^art_/);
    expect(notified.artifact_id).toBe(generated.artifact_id);
    expect(notified.artifact).toMatchObject({ artifact_id: generated.artifact_id });

    const types = new Set((await made.log(session.id)).map(({ type }) => type));
    for (const type of [
      "user_message",
      "tool_call",
      "tool_result",
      "artifact",
      "llm_request",
      "llm_response",
    ])
      expect(types).toContain(type);

    const after = (await (await made.ask(`/sessions/${session.id}`)).json()) as {
      session: { status: string; total_tokens: number; total_cost_cents: number };
    };
    expect(after.session.status).toBe("completed");
    expect(after.session.total_tokens).toBeGreaterThan(0);
    expect(after.session.total_cost_cents).toBeGreaterThan(0);

    const artifact = await artifactIn(place.store, session.id, String(generated.artifact_id));
    expect(artifact?.type).toBe("exercise_list");
    const [first] =
      (artifact?.payload as unknown as { exercises: Record<string, unknown>[] } | undefined)?.exercises ?? [];
    expect(first?.exercise_name).toEqual(expect.any(String));
    expect(exerciseTypes).toContain(first?.exercise_type);
    expect(first?.muscles_utilized).not.toHaveLength(0);
    expect(first?.goals_addressed).not.toHaveLength(0);

    const stream = await made.ask("/stream", {
      json: { message: "And now one for the legs", sessionId: session.id },
    });
    const events = await told(stream);
    expect(events.some(({ data }) => (data as { status?: string })?.status === "running")).toBe(true);
    expect(events.some(({ status }) => status === "done")).toBe(true);
    expect(made.api.rejected).toEqual([]);
  });

  it("X2 a logged workout is in the history and the charts, also if the next one is logged in the same session", async () => {
    const place = await placed();
    const made = await world({ place, rules: trainerRules({ speed: Number.POSITIVE_INFINITY }) });
    const before = await place.data.progress(made.userId, { weeks: 10 });
    const { sessionId } = (await (
      await made.ask("/chat", { json: { message: "A chest workout" } })
    ).json()) as { sessionId: string };
    await made.ask("/chat", { json: { message: "I'm done, please log it", sessionId } });
    await made.ask("/chat", { json: { message: "A leg workout", sessionId } });
    const partly = "Please log this workout: 1 (Goblet squat) 1 of 4 sets; the rest I skipped";
    await made.ask("/chat", { json: { message: partly, sessionId } });
    const [last] = await place.data.history(made.userId, { limit: 1 });
    expect(last?.exercise).toMatchObject({ sets: 1, planned_sets: 4 });
    const after = await place.data.progress(made.userId, { weeks: 10 });
    const sets = (of: typeof before) => of.weeks.reduce((sum, week) => sum + week.sets, 0);
    expect(sets(after)).toBeGreaterThan(sets(before));
    expect(made.api.rejected).toEqual([]);
  });
});
