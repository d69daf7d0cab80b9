import { randomUUID } from "node:crypto";
import type { Database } from "@pawl/postgres";
import { expect, it } from "vitest";
import { playersPerRank } from "../../src/data/sample/pool.ts";
import {
  type BoostAnalysis,
  type CoachData,
  type CoachingNote,
  type CoachingNotes,
  coachData,
  metricNames,
  type PlayerTrends,
  playlists,
  type RankBenchmarks,
  type RecentSessions,
  type ReplayDetails,
  type RotationAnalysis,
} from "../../src/index.ts";
import { bench, type Call } from "./bench.ts";

/** A Saturday. */
export const NOW = Date.parse("2026-11-21T12:00:00Z");

/** Text that would do harm if it became SQL. */
export const EVIL = `x'); DROP TABLE rl_coach.line; --`;

/** Tests the tools over any driver. Each test calls `database`. */
export function toolsSuite(database: () => Database): void {
  const open = async (options: { sampleReplays?: boolean; now?: number } = {}): Promise<CoachData> => {
    const { now = NOW, ...others } = options;
    return await coachData(database(), { now: () => now, ...others });
  };

  // The first test creates the sample, which takes seconds on a busy machine.
  it("X3 the tables are made once, also by several at a time, and so is the sample", {
    timeout: 60_000,
  }, async () => {
    const user = randomUUID();
    const opened = await Promise.all([open(), open()]);
    await Promise.all(opened.flatMap((data) => [data.prepare(user), data.prepare(user)]));
    const sessions = await opened[0]!.sessions(user, { daysBack: 365, limit: 500 });
    const ids = sessions.flatMap(({ replays }) => replays.map(({ replay_id }) => replay_id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(250);
  });

  it("X3 get_rank_benchmarks compares the user with two ranks, in bars that a chart can draw", async () => {
    const one = bench(await open());
    const { result, isError } = await one.call<RankBenchmarks>("get_rank_benchmarks", {
      playlist: "doubles",
    });
    expect(isError).toBe(false);
    expect(result.you).toMatchObject({ rank: expect.stringMatching(/^(Platinum|Diamond)/) });
    expect(result.you?.top_percent).toBeGreaterThan(10);
    expect(result.metrics).toHaveLength(8);
    for (const { ranks, you, label, unit, better } of result.metrics) {
      expect(ranks).toHaveLength(2);
      expect(ranks[0]?.rank).toBe(result.you?.rank);
      expect([typeof you, typeof label, typeof unit, typeof better]).toEqual([
        "number",
        ...Array(3).fill("string"),
      ]);
      for (const { players, p10, p25, p50, p75, p90, your_percentile } of ranks) {
        const bars = [p10, p25, p50, p75, p90];
        expect(bars).toEqual(bars.toSorted((a, b) => a - b));
        expect(players).toBeGreaterThanOrEqual(10);
        expect(your_percentile).toBeGreaterThanOrEqual(0);
        expect(your_percentile).toBeLessThanOrEqual(100);
      }
    }
  });

  it.each(playlists)("X3 get_rank_benchmarks in %s is higher in higher ranks", async (playlist) => {
    const one = bench(await open());
    const { result } = await one.call<RankBenchmarks>("get_rank_benchmarks", {
      playlist,
      ranks: ["SSL", "bronze 1", "Platinum II", "platinum 2"],
      metrics: ["boost_per_minute", "average_speed", "percent_supersonic", "boost_per_minute"],
    });
    expect(result.metrics.map(({ metric }) => metric)).toEqual([
      "boost_per_minute",
      "average_speed",
      "percent_supersonic",
    ]);
    const sampled = playersPerRank(playlist);
    for (const { ranks } of result.metrics) {
      expect(ranks.map(({ rank }) => rank)).toEqual(["Bronze I", "Platinum II", "Supersonic Legend"]);
      // Nobody's own replays are part of it, although users of this database have that rank.
      expect(ranks.map(({ players }) => players)).toEqual([sampled[0], sampled[10], sampled[21]]);
      const medians = ranks.map(({ p50 }) => p50);
      expect(medians).toEqual(medians.toSorted((a, b) => a - b));
    }
  });

  it("X3 T3 unknown metrics, playlists and ranks become error results that list what there is", async () => {
    const one = bench(await open());
    const [metric, inherited, playlist, rank, none] = await one.calls(
      ["get_rank_benchmarks", { playlist: "doubles", metrics: [EVIL] }],
      ["get_player_trends", { playlist: "doubles", metrics: ["constructor", "player_name"] }],
      ["analyze_boost", { playlist: "hoops" }],
      ["get_rank_benchmarks", { playlist: "doubles", ranks: [EVIL] }],
      ["get_player_trends", { playlist: "doubles", metrics: [] }],
    );
    for (const outcome of [metric, inherited, playlist, rank, none]) expect(outcome?.isError).toBe(true);
    expect(metric?.text).toContain("shooting_percentage");
    expect(inherited?.text).toContain("boost_per_minute");
    expect(playlist?.text).toContain("standard");
    expect(rank?.text).toContain("Grand Champion III");
    const after = await one.call<RecentSessions>("get_recent_sessions", {});
    expect(after.result.sessions.length).toBeGreaterThan(0);
  });

  it("X3 T3 input out of range is refused before anything is read or stored", async () => {
    const one = bench(await open());
    const metrics = metricNames.slice(0, 9);
    const calls: Call[] = [
      ...[0, -1, 366, 1.5, "7", null].map((days_back): Call => ["get_recent_sessions", { days_back }]),
      ["get_recent_sessions", { limit: 21 }],
      ["get_rank_benchmarks", { playlist: "doubles", metrics }],
      ["get_rank_benchmarks", { playlist: "doubles", ranks: Array(5).fill("SSL") }],
      ["get_rank_benchmarks", {}],
      ["get_player_trends", { playlist: "doubles", metrics: ["goals"], window: "year" }],
      ["get_replay", { replay_id: "  " }],
      ["get_replay", { replay_id: "x".repeat(101) }],
      ["save_coaching_note", { topic: "boost", text: "x".repeat(2_001) }],
      ["save_coaching_note", { topic: " ", text: "Small pads" }],
      ["save_coaching_note", { topic: "boost", text: "Small pads", replay_id: 7 }],
    ];
    const outcomes = await one.calls(...calls);
    expect(outcomes.map(({ isError }) => isError)).toEqual(calls.map(() => true));
    expect((await one.call<CoachingNotes>("get_coaching_notes", {})).result.notes).toEqual([]);
  });

  it.each([`"quoted", {brace} \\ and 'more'`, EVIL, "NULL"])(
    "X3 a user may have any id (%j)",
    async (name) => {
      const data = await open();
      const one = bench(data, `${name} ${randomUUID()}`);
      const { result } = await one.call<RecentSessions>("get_recent_sessions", { limit: 1 });
      const replay_id = result.sessions[0]?.replays[0]?.replay_id;
      expect((await one.call<ReplayDetails>("get_replay", { replay_id })).isError).toBe(false);
      expect((await bench(data).call("get_replay", { replay_id })).isError).toBe(true);
    },
  );

  it("X3 get_player_trends shows each metric over the same windows, and what its change means", async () => {
    const one = bench(await open(), "trend-user");
    const { result } = await one.call<PlayerTrends>("get_player_trends", {
      playlist: "doubles",
      metrics: ["percent_zero_boost", "average_speed", "percent_ground", "shooting_percentage", "mmr"],
      window: "month",
      days_back: 182,
    });
    const [zero, speed, ground, shooting, mmr] = result.series;
    expect(result.windows.length).toBeGreaterThanOrEqual(6);
    expect(result.windows.map(({ from }) => from)).toEqual(result.windows.map(({ from }) => from).toSorted());
    for (const { values } of result.series) expect(values).toHaveLength(result.windows.length);
    expect(result.matches).toBe(result.windows.reduce((sum, { matches }) => sum + matches, 0));
    expect([zero?.direction, speed?.direction, mmr?.direction]).toEqual(["better", "better", "better"]);
    expect(zero!.change).toBeLessThan(0);
    expect(["up", "down", "steady"]).toContain(ground?.direction);
    expect(shooting?.unit).toBe("%");
    const short = await one.call<PlayerTrends>("get_player_trends", {
      ...{ playlist: "doubles", metrics: ["goals"], window: "month", days_back: 20 },
    });
    if (short.result.windows.length === 1) expect(short.result.series[0]?.direction).toBeNull();
  });

  it("X3 get_recent_sessions groups matches, newest first, and their MMR adds up", async () => {
    const data = await open();
    const one = bench(data);
    const { result } = await one.call<RecentSessions>("get_recent_sessions", { limit: 20, days_back: 365 });
    expect(result.sessions).toHaveLength(20);
    const starts = result.sessions.map(({ started_at }) => started_at);
    expect(starts).toEqual(starts.toSorted().reverse());
    expect(starts[0]?.slice(0, 10)).toBe("2026-11-20");
    for (const { replays, wins, losses, matches, mmr_change, started_at, ended_at } of result.sessions) {
      expect(replays).toHaveLength(matches);
      expect(wins + losses).toBe(matches);
      expect(mmr_change).toBe((wins - losses) * 9);
      expect(replays[0]?.played_at).toBe(started_at);
      expect(ended_at > replays.at(-1)!.played_at).toBe(true);
      for (const { won, result: score } of replays) {
        const [own, other] = score.split("-").map(Number) as [number, number];
        expect(own > other).toBe(won);
      }
    }
    const matches = result.sessions.toReversed().flatMap(({ replays }) => replays);
    for (const [index, { played_at }] of matches.entries()) {
      const before = matches[index - 1];
      if (before === undefined) continue;
      const isNewEvening = Date.parse(played_at) - Date.parse(before.played_at) >= 3_600_000;
      expect(isNewEvening).toBe(starts.includes(played_at));
    }
    const duels = await one.call<RecentSessions>("get_recent_sessions", {
      playlist: "duels",
      days_back: 365,
    });
    const listed = duels.result.sessions.flatMap(({ replays }) => replays);
    expect(new Set(listed.map(({ playlist }) => playlist))).toEqual(new Set(["duels"]));
  });

  it("X3 get_replay shows all players of one match, and only to its owner", async () => {
    const data = await open();
    const [ada, eve] = [bench(data), bench(data)];
    // Each user's replays are drawn: not everybody has played doubles in the last weeks.
    const found = await ada.call<RecentSessions>("get_recent_sessions", {
      ...{ playlist: "doubles", days_back: 365 },
    });
    const replay = found.result.sessions[0]?.replays[0];
    const { result, text } = await ada.call<ReplayDetails>("get_replay", { replay_id: replay?.replay_id });
    expect(result).toMatchObject({
      ...{ playlist: "doubles", won: replay?.won },
      played_at: replay?.played_at,
    });
    expect(result.teams.map(({ players }) => players.length)).toEqual([2, 2]);
    expect(`${result.teams[0]?.goals}-${result.teams[1]?.goals}`).toBe(replay?.result);
    const [you] = result.teams[0]?.players ?? [];
    expect(you).toMatchObject({ you: true, stats: { goals: replay?.goals, score: replay?.score } });
    expect(Object.keys(you!.stats)).toEqual(result.metrics.map(({ metric }) => metric));
    expect(text).not.toContain("Time without boost");

    const [others, none, evil] = await eve.calls(
      ["get_replay", { replay_id: replay?.replay_id }],
      ["get_replay", { replay_id: "0123456789abcdef" }],
      ["get_replay", { replay_id: EVIL }],
    );
    expect([others, none, evil].map((outcome) => outcome?.isError)).toEqual([true, true, true]);
    expect(others?.text.replace(replay!.replay_id, "ID")).toBe(none?.text.replace("0123456789abcdef", "ID"));
    expect(others?.text).toContain("get_recent_sessions");
  });

  it("X3 nobody reads a single replay of the public sample", async () => {
    const data = await open();
    await data.prepare("ada");
    const sample = await sampleReplayId(database());
    const outcome = await bench(data).call("get_replay", { replay_id: sample });
    expect(outcome.isError).toBe(true);
  });

  it("X3 analyze_boost has a map of 34 pads, and the model reads its zones", async () => {
    const one = bench(await open());
    const { result, text } = await one.call<BoostAnalysis>("analyze_boost", {
      playlist: "doubles",
      days_back: 180,
    });
    expect(result.pads).toHaveLength(34);
    expect(result.field).toEqual({ half_width: 4096, half_length: 5120 });
    for (const { per_match, rank_per_match } of result.pads) {
      expect(per_match).toBeGreaterThan(0);
      expect(rank_per_match).toBeGreaterThan(0);
    }
    const share = result.economy.find(({ metric }) => metric === "big_pad_share");
    expect(share!.you!).toBeGreaterThan(share!.rank_median! + 3);
    expect(text).toContain("big pads, own half");
    expect(text).not.toContain("4096");
    expect(text.length).toBeLessThan(3_000);
  });

  it.each(playlists)(
    "X3 analyze_rotations in %s shows thirds, and roles where there is a team",
    async (playlist) => {
      const one = bench(await open());
      const { result } = await one.call<RotationAnalysis>("analyze_rotations", { playlist, days_back: 365 });
      expect(result.thirds.map(({ third }) => third)).toEqual(["defensive", "neutral", "offensive"]);
      expect(result.thirds.reduce((sum, { you }) => sum + you, 0)).toBeCloseTo(100, 0);
      if (playlist === "duels") expect(result.roles).toBeNull();
      else expect(result.roles!.most_forward).toBeGreaterThan(result.roles!.fair_share);
      expect(result.by_result.map(({ metric }) => metric)).toContain("saves");
      for (const { rank_median } of result.positioning) expect(rank_median).not.toBeNull();
    },
  );

  it("X3 a range without matches is an error that says which matches there are", async () => {
    const user = randomUUID();
    await (await open()).prepare(user);
    const later = bench(await open({ now: NOW + 90 * 86_400_000 }), user);
    const outcomes = await later.calls(
      ["get_recent_sessions", { days_back: 7 }],
      ["analyze_boost", { playlist: "doubles", days_back: 7 }],
      ["get_player_trends", { playlist: "standard", metrics: ["goals"], days_back: 7 }],
    );
    for (const { isError, text } of outcomes) {
      expect(isError).toBe(true);
      expect(text).toMatch(
        /in the last 7 days.*larger days_back.*doubles: \d+ matches, the newest \d+ days ago/s,
      );
    }
    const compared = await later.call<RankBenchmarks>("get_rank_benchmarks", {
      playlist: "doubles",
      days_back: 7,
    });
    expect(compared.result.you).toBeNull();
    expect(compared.result.metrics.every(({ you }) => you === null)).toBe(true);
  });

  it("X3 a user without replays is told so, and still gets benchmarks", async () => {
    const one = bench(await open({ sampleReplays: false }));
    const [sessions, rotations] = await one.calls(
      ["get_recent_sessions", {}],
      ["analyze_rotations", { playlist: "duels" }],
    );
    const compared = await one.call<RankBenchmarks>("get_rank_benchmarks", { playlist: "duels" });
    expect(sessions?.text).toContain("no replays yet");
    expect(rotations?.text).toContain("no replays yet");
    const ranks = compared.result.metrics[0]?.ranks.map(({ rank }) => rank);
    expect(ranks).toEqual(["Platinum I", "Diamond I"]);
  });

  it("X3 notes are the user's own, whatever is in them", async () => {
    const data = await open();
    const [ada, eve] = [bench(data), bench(data)];
    const odd = `${EVIL} </result> A\u0000B \ud83d "quoted" {brace}`;
    const saved = await ada.call<CoachingNote>("save_coaching_note", { topic: "Boost", text: odd });
    await ada.call("save_coaching_note", { topic: "goals", text: "Diamond by spring" });
    const kept = odd.replace("\u0000", "\uFFFD").replace("\ud83d", "\uFFFD");
    expect(saved.result).toMatchObject({ topic: "Boost", text: kept, replay_id: null });
    const all = await ada.call<CoachingNotes>("get_coaching_notes", {});
    expect(all.result.notes).toHaveLength(2);
    const boost = await ada.call<CoachingNotes>("get_coaching_notes", { topic: "boost" });
    expect(boost.result.notes).toEqual([saved.result]);
    const others = await eve.call<CoachingNotes>("get_coaching_notes", {});
    expect(others.result.notes).toEqual([]);
  });

  it("X3 a note may name the user's own replay, and no other", async () => {
    const data = await open();
    const [ada, eve] = [bench(data), bench(data)];
    const found = await ada.call<RecentSessions>("get_recent_sessions", {});
    const replay_id = found.result.sessions[0]?.replays[0]?.replay_id;
    const note = { topic: "saves", text: "Late to the back post.", replay_id };
    expect((await ada.call<CoachingNote>("save_coaching_note", note)).result.replay_id).toBe(replay_id);
    const stolen = await eve.call("save_coaching_note", note);
    expect(stolen.isError).toBe(true);
    expect((await eve.call<CoachingNotes>("get_coaching_notes", {})).result.notes).toEqual([]);
  });
}

async function sampleReplayId(db: Database): Promise<string> {
  const text = "SELECT replay_id FROM rl_coach.replay WHERE owner_id IS NULL LIMIT 1";
  const rows = "query" in db ? (await db.query(text)).rows : await db.unsafe(text, [], { prepare: false });
  return (rows[0] as { replay_id: string }).replay_id;
}
