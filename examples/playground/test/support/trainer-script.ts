import { isText, type JsonObject, type ModelRequest } from "@pawl/core";
import type { Reply } from "@pawl/testing";
import { cableFly, pushDay } from "./workouts.ts";

type Calls = readonly (readonly [string, JsonObject])[];

const notify = (message: string) => ["message_notify_user", { message }] as const;

/** The trainer's calls for a message that matches the expression. `made` is the id of the last workout. */
const SCRIPT: readonly (readonly [RegExp, (made: string) => Calls])[] = [
  [
    /swap/,
    () => [
      ["swap_exercise", { exercise_id: "2", new_exercise: cableFly }],
      notify("A cable fly, **lighter** on your shoulder."),
    ],
  ],
  [
    /adjust/,
    () => [
      ["adjust_exercise", { exercise_id: "1", adjustments: { load_each: [65] } }],
      notify("Done: 65 kg from now on."),
    ],
  ],
  [/remove/, () => [["remove_exercise", { exercise_id: "5" }], notify("Gone.")]],
  [
    /log this/,
    () => [
      ["log_workout", { completed_exercises: [{ exercise_id: "1" }, { exercise_id: "2" }] }],
      notify("Logged. Well done!"),
    ],
  ],
  [/break/, () => [["remove_exercise", { exercise_id: "99" }], notify("There is no such exercise.")]],
  [
    /train today/,
    () => [
      [
        "message_ask_user",
        {
          question: "How much time do you have?",
          options: ["20 minutes", "45 minutes", "As long as it takes"],
        },
      ],
    ],
  ],
  [
    /./,
    (made) => [
      ["fetch_data", { sources: ["user_profile"] }],
      ["generate_workout", { workout: pushDay }],
      [
        "message_notify_user",
        { message: "Here is a push day for **45 minutes**.", ...(made !== "" && { artifact_id: made }) },
      ],
    ],
  ],
];

/** Replies with one call of the script in each turn, and with `idle` after the last one. */
export function trainerReply({ messages }: ModelRequest, pace: number): Reply {
  // Texts that Pawl adds, e.g. an artifact, begin with a tag. The user did not write them.
  const said = messages.findLastIndex(
    ({ role, content }) =>
      role === "user" && content.some((block) => isText(block) && !block.text.startsWith("<")),
  );
  const words = (messages[said]?.content ?? []).flatMap((block) => (isText(block) ? block.text : [])).join();
  const turn = messages.slice(said + 1).filter(({ role }) => role === "assistant").length;
  const made =
    JSON.stringify(messages)
      .match(/art_[\w-]+/g)
      ?.at(-1) ?? "";
  const [, calls] = SCRIPT.find(([word]) => word.test(words)) ?? [];
  const [name, input] = calls?.(made)[turn] ?? ["idle", { reason: "Done." }];
  return { tools: [{ name, input }], latencyMs: pace, delayPerEventMs: pace / 8 };
}
