import type { ContentBlock, Json, JsonObject } from "@pawl/core";
import type { ParsedRequest } from "@pawl/testing";

/** The outcome of one of the trainer's calls. */
export interface Outcome {
  tool: string;
  input: JsonObject;
  failed: boolean;
  /** The result as the model reads it. */
  text: string;
}

/** The state of a conversation, as the rules need it. All of it is read from one request. */
export interface Scene {
  /** The user's last message. */
  said: string;
  /** The tool results since the user's last message. */
  outcomes: Outcome[];
  /** The exercises of the active workout, as far as the calls show them. */
  workout: JsonObject[] | undefined;
  /** The id of the last workout. */
  artifactId: string | undefined;
  /** The equipment of the current location, and the user's unit of weight. */
  equipment: string;
  unit: "kg" | "lb";
  /** The user's preferences and restrictions, if they have been loaded. */
  preferences: string;
}

/** Derives the scene from a request's blocks, in order. */
export function sceneOf({ system, messages }: ParsedRequest): Scene {
  const scene: Scene = {
    said: "",
    outcomes: [],
    workout: undefined,
    artifactId: undefined,
    equipment: "",
    unit: "kg",
    preferences: "",
  };
  readUser(scene, typeof system === "string" ? system : (system ?? []).map(({ text }) => text).join("\n"));
  const calls = new Map<string, ContentBlock>();
  for (const { role, content } of messages) {
    const blocks: ContentBlock[] =
      typeof content === "string" ? [{ type: "text", text: content }] : [...content];
    for (const block of blocks) {
      if (role === "assistant") {
        if (block.type === "tool_use") calls.set(String(block.id), block);
      } else if (block.type === "tool_result") hear(scene, outcomeOf(block, calls));
      else if (block.type === "text") listen(scene, String(block.text));
    }
  }
  return scene;
}

const TAG = /^<(note|knowledge|artifact)\b(?:[^>]*source="([^"]*)")?[^>]*>/;

function listen(scene: Scene, text: string): void {
  const tag = TAG.exec(text);
  if (tag === null) {
    scene.said = text;
    scene.outcomes = [];
    return;
  }
  const source = tag[2];
  if (tag[1] === "artifact") scene.artifactId = /art_[\w-]+/.exec(text)?.[0] ?? scene.artifactId;
  if (source === "user_data") readUser(scene, text);
  if (source === "active_preferences") scene.preferences = text;
}

/** Reads locations and units from the user data, or from a block that was added later. */
function readUser(scene: Scene, text: string): void {
  const place = /<current_location>([\s\S]*?)<\/current_location>/.exec(text)?.[1];
  scene.equipment = place ?? scene.equipment;
  const weight = /Weight:\s*(kg|lb)/i.exec(text)?.[1];
  if (weight !== undefined) scene.unit = weight.toLowerCase() === "lb" ? "lb" : "kg";
}

function hear(scene: Scene, outcome: Outcome): void {
  scene.outcomes.push(outcome);
  if (outcome.failed) return;
  const { tool, input, text } = outcome;
  const at = Number(input.exercise_id) - 1;
  const { workout } = scene;
  if (tool === "generate_workout") {
    scene.workout = exercisesIn(input.workout);
    scene.artifactId = /art_[\w-]+/.exec(text)?.[0] ?? scene.artifactId;
  }
  if (tool === "log_workout") scene.workout = undefined;
  if (tool === "set_current_location") scene.equipment = text;
  if (workout === undefined || !(at >= 0 && at < workout.length)) return;
  if (tool === "swap_exercise") workout[at] = asObject(input.new_exercise);
  if (tool === "adjust_exercise") workout[at] = { ...workout[at], ...asObject(input.adjustments) };
  if (tool === "remove_exercise") workout.splice(at, 1);
}

function exercisesIn(workout: Json | undefined): JsonObject[] {
  const { exercises } = asObject(workout);
  return Array.isArray(exercises) ? exercises.map(asObject) : [];
}

export function asObject(value: Json | undefined): JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

function outcomeOf(block: ContentBlock, calls: ReadonlyMap<string, ContentBlock>): Outcome {
  const call = calls.get(String(block.tool_use_id));
  const { content } = block;
  const parts = Array.isArray(content) ? content : [];
  return {
    tool: String(call?.name ?? ""),
    input: asObject(call?.input as Json),
    failed: block.is_error === true,
    text:
      typeof content === "string"
        ? content
        : parts.map((part) => String(asObject(part as Json).text ?? "")).join(""),
  };
}
