import type { Reply } from "@pawl/testing";
import type { BoostAnalysis, PlayerTrends, RankBenchmarks, RecentSessions } from "../base/shapes.ts";
import type { Outcome, Scene } from "./scene.ts";

/** Chooses the coach's next answer: it looks at the statistics, and then speaks of what they say. */
export function answer(scene: Scene): Reply {
  const { outcomes, said } = scene;
  if (outcomes.length === 0) return firstLook(scene);
  const failure = outcomes.find(({ failed }) => failed);
  if (failure !== undefined)
    return {
      thinking: "That could not be read. They should know why, without details.",
      text: `I could not look at that: ${String(failure.value).slice(0, 300)} Shall we talk about something else in the meantime?`,
    };
  const sessions = of<RecentSessions>(outcomes, "get_recent_sessions");
  const playlist = sessions?.sessions[0]?.replays[0]?.playlist;
  if (playlist !== undefined && outcomes.length === 1 && !/\b(session|match|game|played)/i.test(said))
    return {
      thinking: `Their last matches were ${playlist}. Compare them there before calling anything good or bad.`,
      tools: [
        { name: "get_rank_benchmarks", input: { playlist } },
        { name: "analyze_boost", input: { playlist } },
      ],
    };
  return { thinking: "The numbers are here. Begin with the one that matters most.", text: told(outcomes) };
}

function firstLook({ said, replayId }: Scene): Reply {
  const playlist = /\b(duels?|1v1)\b/i.test(said)
    ? "duels"
    : /\b(standard|3v3)\b/i.test(said)
      ? "standard"
      : "doubles";
  if (/^\W*(hi|hello|hey|thanks|thank you|bye)\b.{0,20}$/i.test(said))
    return {
      thinking: "A greeting.",
      text: "Hi! Ask me about your **boost**, your **rotation** or your **progress**.",
    };
  if (replayId !== undefined && /\b(this|that) (match|game|replay)\b/i.test(said))
    return look("They mean the replay on their screen.", "get_replay", { replay_id: replayId });
  if (/\b(my goal|remember|note)\b/i.test(said))
    return look("Worth keeping for later.", "save_coaching_note", {
      topic: "goals",
      text: said.slice(0, 500),
    });
  if (/\b(trend|progress|improv|better)/i.test(said))
    return look("Progress needs a longer look back.", "get_player_trends", {
      playlist,
      metrics: ["boost_per_minute", "saves", "average_speed"],
    });
  if (/\brotat|\bposition/i.test(said))
    return look("Where they stand on the field.", "analyze_rotations", { playlist });
  if (/\bboost\b/i.test(said))
    return {
      thinking: "Their boost, beside that of their rank.",
      tools: [
        { name: "analyze_boost", input: { playlist } },
        {
          name: "get_rank_benchmarks",
          input: { playlist, metrics: ["boost_per_minute", "percent_zero_boost"] },
        },
      ],
    };
  if (/\b(rank|compare|benchmark)/i.test(said))
    return look("Compare them with their rank.", "get_rank_benchmarks", { playlist });
  return look("First see what they play.", "get_recent_sessions", { limit: 3 });
}

function look(thinking: string, name: string, input: object): Reply {
  return { thinking, tools: [{ name, input: input as never }] };
}

function told(outcomes: readonly Outcome[]): string {
  const lines = [
    lineOfBenchmarks(of<RankBenchmarks>(outcomes, "get_rank_benchmarks")),
    lineOfBoost(of<BoostAnalysis>(outcomes, "analyze_boost")),
    lineOfTrends(of<PlayerTrends>(outcomes, "get_player_trends")),
    lineOfSessions(of<RecentSessions>(outcomes, "get_recent_sessions")),
    outcomes.some(({ tool }) => tool === "save_coaching_note") ? "I have noted it for next time." : undefined,
  ].filter((line) => line !== undefined);
  const exercise =
    "This week: ten minutes of free play in which you touch only **small pads**, and return through your own corner.";
  return [...(lines.length > 0 ? lines : ["I have looked at it, and it is a solid base."]), exercise].join(
    "\n\n",
  );
}

function lineOfBenchmarks(found: RankBenchmarks | undefined): string | undefined {
  const metric = found?.metrics.find(({ you, ranks }) => you !== null && ranks.length > 0);
  const [rank] = metric?.ranks ?? [];
  if (metric === undefined || rank === undefined) return undefined;
  return `**${metric.label}**: you are at ${metric.you}${unit(metric.unit)}, and the middle of ${rank.rank} is ${rank.p50}${unit(metric.unit)}.`;
}

function lineOfBoost(found: BoostAnalysis | undefined): string | undefined {
  const [first] = found?.economy.filter(({ you }) => you !== null) ?? [];
  if (found === undefined || first === undefined) return undefined;
  return `Over ${found.matches} matches your ${first.label.toLowerCase()} is ${first.you}${unit(first.unit)}; your rank has ${first.rank_median}.`;
}

function lineOfTrends(found: PlayerTrends | undefined): string | undefined {
  const [series] = found?.series.filter(({ change }) => change !== null) ?? [];
  return series && `**${series.label}** went from ${series.first} to ${series.last}: ${series.direction}.`;
}

function lineOfSessions(found: RecentSessions | undefined): string | undefined {
  const [last] = found?.sessions ?? [];
  return last && `Your last session had ${last.matches} matches, ${last.wins} of them won.`;
}

function unit(name: string): string {
  return name === "%" ? "%" : name === "" ? "" : ` ${name}`;
}

function of<T>(outcomes: readonly Outcome[], tool: string): T | undefined {
  const found = outcomes.findLast((outcome) => outcome.tool === tool && !outcome.failed);
  return typeof found?.value === "object" && found.value !== null ? (found.value as T) : undefined;
}
