import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { at, drawn, meanOf, placeOf, type Spread, scoring, spreads } from "../src/data/sample/model.ts";
import { playersPerRank } from "../src/data/sample/pool.ts";
import {
  drawLife,
  drawPool,
  field,
  findRank,
  LIFE_DAYS,
  type Line,
  MIN_PLAYERS,
  MORE_PLAYERS,
  metrics,
  pads,
  playlists,
  REPLAYS_EACH,
  rankOfMmr,
  ranks,
  type Sample,
  teamSizes,
  topPercent,
} from "../src/index.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const DAY_MS = 86_400_000;

let pool: Sample;
beforeAll(() => {
  pool = drawPool("test");
});

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const linesOf = (playlist: string, rank: number) =>
  pool.lines.filter((line) => line.playlist === playlist && line.rank === rank);
const playersOf = (lines: readonly Line[]) => [...Map.groupBy(lines, ({ player_id }) => player_id).values()];

describe("X3 the public sample", () => {
  it("X3 is equal for equal seeds, and different for others", () => {
    // As text, because comparing a million values one by one takes seconds.
    expect(JSON.stringify(drawPool("test")) === JSON.stringify(pool)).toBe(true);
    expect(drawPool("other").lines.slice(0, 100)).not.toEqual(pool.lines.slice(0, 100));
  });

  it("X3 has hundreds of players over all ranks, and tens of thousands of lines", () => {
    const players = new Set(pool.lines.map(({ player_id }) => player_id));
    expect(players.size).toBe(playlists.length * (ranks.length * MIN_PLAYERS + MORE_PLAYERS));
    expect(pool.lines.length).toBeGreaterThan(22_000);
    expect(pool.lines.length).toBeLessThan(23_000);
    for (const playlist of playlists)
      for (const { index } of ranks) {
        const group = playersOf(linesOf(playlist, index));
        expect(group.length).toBe(playersPerRank(playlist)[index]);
        for (const lines of group) expect(Math.abs(lines.length - REPLAYS_EACH)).toBeLessThanOrEqual(1);
      }
  });

  it("X3 divides the players above the minimum among the ranks as the game's season 13 did", () => {
    for (const playlist of playlists) {
      const total = ranks.reduce((sum, { percentOfPlayers }) => sum + percentOfPlayers[playlist], 0);
      // Psyonix's own numbers are rounded.
      expect(total).toBeCloseTo(100, 1);
      const counts = playersPerRank(playlist);
      for (const { index, percentOfPlayers } of ranks) {
        const more = (counts[index] ?? 0) - MIN_PLAYERS;
        expect(Math.abs(more - (percentOfPlayers[playlist] / 100) * MORE_PLAYERS)).toBeLessThan(1);
      }
    }
  });

  it.each(playlists)(
    "X3 in %s each drawn statistic has the mean of its rank that DATA.md lists",
    (playlist) => {
      const own = drawn.filter((name) => name !== "big_pad_percent" && name !== "stolen_percent");
      const compared = own.flatMap((name) =>
        ranks.flatMap(({ index, name: rank }) => {
          const players = playersOf(linesOf(playlist, index)).map((lines) =>
            mean(lines.map((line) => line[name as keyof Line] as number)),
          );
          const { players: sd, matches } = spreads[name];
          const expected = meanOf(name, placeOf(index), playlist);
          // Four standard errors: none of the comparisons should be outside by chance.
          const tolerance = 4 * Math.sqrt((sd ** 2 + matches ** 2 / REPLAYS_EACH) / players.length);
          const isNear = Math.abs(mean(players) - expected) <= tolerance;
          return isCut(name, expected) ? [] : [{ what: `${name} of ${rank}`, isNear }];
        }),
      );
      expect(compared.length).toBeGreaterThan(own.length * ranks.length * 0.8);
      expect(compared.filter(({ isNear }) => !isNear)).toEqual([]);
    },
  );

  it.each(playlists)("X3 in %s goals, shots and saves follow the rank", (playlist) => {
    const tiers = [0, 1, 2, 3, 4, 5, 6].map((tier) =>
      pool.lines.filter((line) => line.playlist === playlist && Math.floor(line.rank / 3) === tier),
    );
    const ratio = (lines: readonly Line[]) =>
      (100 * mean(lines.map(({ goals }) => goals))) / mean(lines.map(({ shots }) => shots));
    for (const [tier, lines] of tiers.entries()) {
      const place = placeOf(tier * 3 + 1);
      const perTeam = mean(lines.map(({ goals }) => goals)) * teamSizes[playlist];
      const wanted = at(place, scoring.teamGoals[playlist]);
      // Overtime adds a goal to one team.
      expect(perTeam).toBeGreaterThan(wanted * 0.93);
      expect(perTeam).toBeLessThan(wanted * 1.18);
      expect(Math.abs(ratio(lines) - at(place, scoring.shootingPercentage))).toBeLessThan(3.5);
    }
    // Neighbours may differ by chance, the next but one may not.
    const saves = tiers.map((lines) => mean(lines.map((line) => line.saves)));
    for (const [tier, lines] of tiers.slice(2).entries()) {
      expect(ratio(lines)).toBeLessThan(ratio(tiers[tier] ?? []));
      expect(saves[tier + 2]).toBeGreaterThan(saves[tier] ?? 0);
    }
  });

  it("X3 has replays whose numbers agree with each other", () => {
    for (const { lines, replay } of replaysOf(pool)) {
      const [blue, orange] = (["blue", "orange"] as const).map((team) =>
        lines.filter((line) => line.team === team),
      ) as [Line[], Line[]];
      expect([blue.length, orange.length]).toEqual([teamSizes[replay.playlist], teamSizes[replay.playlist]]);
      expect(new Set(lines.map(({ player_id }) => player_id)).size).toBe(lines.length);
      const total = (team: readonly Line[], name: "goals" | "shots" | "saves" | "assists") =>
        team.reduce((sum, line) => sum + line[name], 0);
      expect(total(blue, "goals")).toBe(replay.blue_goals);
      expect(total(orange, "goals")).toBe(replay.orange_goals);
      expect(replay.blue_goals).not.toBe(replay.orange_goals);
      expect(total(blue, "assists")).toBeLessThanOrEqual(replay.blue_goals);
      expect(total(orange, "saves")).toBeLessThanOrEqual(total(blue, "shots") - replay.blue_goals);
      expect(blue.every(({ won }) => won === replay.blue_goals > replay.orange_goals)).toBe(true);
    }
  });

  it("X3 has lines whose parts add up", () => {
    const is100 = (...parts: number[]) => Math.abs(parts.reduce((sum, part) => sum + part, 0) - 100) < 1e-6;
    const wrong = pool.lines.filter(
      (line) =>
        !is100(line.percent_ground, line.percent_low_air, line.percent_high_air) ||
        !is100(line.percent_defensive_third, line.percent_neutral_third, line.percent_offensive_third) ||
        line.percent_low_air < 0 ||
        line.percent_neutral_third < 0 ||
        line.pads.length !== 34 ||
        (line.percent_most_back === null) !== (line.playlist === "duels") ||
        rankOfMmr(line.mmr).index !== line.rank ||
        line.boost_stolen > line.boost_from_big_pads + line.boost_from_small_pads,
    );
    expect(wrong).toEqual([]);
  });
});

describe("X3 DATA.md", () => {
  const page = readFileSync(new URL("../DATA.md", import.meta.url), "utf8");
  /** The numbers of a table's rows, below the heading that begins with `head`. */
  const rowsBelow = (head: string): number[][] => {
    const [, table = ""] = page.split(`| ${head}`);
    const rows = table.split("\n\n")[0]?.split("\n").slice(2) ?? [];
    return rows.map((row) => [...row.replaceAll(",", "").matchAll(/(?<=\| (?:× )?)[\d.]+/g)].map(Number));
  };

  it("X3 lists the numbers that statistics are drawn from", () => {
    const listed = rowsBelow("drawn for each match");
    const used = Object.values<Spread>(spreads).map(({ from, to, players, matches, duels, doubles }) =>
      [from, to, players, matches, duels, doubles].filter((value) => value !== undefined),
    );
    expect(listed).toEqual(used);
  });

  it("X3 lists the numbers that goals come from", () => {
    const { duels, doubles, standard } = scoring.teamGoals;
    const percent = (ends: readonly number[]) => ends.map((end) => Math.round(end * 100));
    expect(rowsBelow("of each match")).toEqual([
      [...duels],
      [...doubles],
      [...standard],
      [...scoring.shootingPercentage],
      percent(scoring.assisted),
      percent(scoring.saved),
      [...scoring.demos],
    ]);
  });
});

describe("X3 a user's sample replays", () => {
  const life = drawLife({ userId: "ada", now: NOW });
  const own = life.lines.filter(({ is_owner }) => is_owner);

  it("X3 are equal for equal seeds, and their ids belong to the user", () => {
    expect(drawLife({ userId: "ada", now: NOW })).toEqual(life);
    const eve = drawLife({ userId: "eve", seed: "ada", now: NOW });
    const same = (sample: Sample) => sample.lines.map(({ replay_id: _, owner_id: __, ...line }) => line);
    expect(same(eve)).toEqual(same(life));
    const ids = new Set(life.replays.map(({ replay_id }) => replay_id));
    expect(ids.size).toBe(life.replays.length);
    expect(eve.replays.filter(({ replay_id }) => ids.has(replay_id))).toEqual([]);
  });

  it("X3 reach from half a year ago to yesterday, with teammates and opponents", () => {
    expect(life.replays.length).toBeGreaterThan(250);
    expect(own.length).toBe(life.replays.length);
    for (const { played_at, owner_id } of life.replays) {
      expect(owner_id).toBe("ada");
      expect(played_at).toBeLessThan(NOW);
      expect(played_at).toBeGreaterThan(NOW - (LIFE_DAYS + 1) * DAY_MS);
    }
    expect(life.replays.at(-1)?.played_at).toBeGreaterThan(NOW - 2 * DAY_MS);
    expect(new Set(life.replays.map(({ playlist }) => playlist)).size).toBe(3);
    expect(life.lines.filter(({ player_id }) => player_id === "partner").length).toBeGreaterThan(40);
  });

  it.each(["ada", "bob", "cleo", "dan", "eve"])("X3 get better over months, and keep habits (%s)", (seed) => {
    const doubles = drawLife({ userId: "u", seed, now: NOW }).lines.filter(
      (line) => line.is_owner && line.playlist === "doubles",
    );
    const half = Math.floor(doubles.length / 2);
    const [first, second] = [doubles.slice(0, half), doubles.slice(half)];
    const value = (lines: readonly Line[], name: keyof Line) =>
      mean(lines.map((line) => line[name] as number));
    expect(value(second, "mmr")).toBeGreaterThan(value(first, "mmr") + 25);
    expect(value(second, "percent_zero_boost")).toBeLessThan(value(first, "percent_zero_boost"));
    expect(value(second, "average_speed")).toBeGreaterThan(value(first, "average_speed"));
    for (const lines of [first, second]) expect(value(lines, "percent_most_forward")).toBeGreaterThan(53);
  });
});

describe("X3 the game's facts", () => {
  it("X3 has 34 pads, 6 of them big, and both halves are alike", () => {
    expect(pads.filter(({ size }) => size === "big")).toHaveLength(6);
    expect(pads.filter(({ size }) => size === "small")).toHaveLength(28);
    for (const { x, y, size } of pads) {
      expect(Math.abs(x)).toBeLessThanOrEqual(field.half_width);
      expect(Math.abs(y)).toBeLessThanOrEqual(field.half_length);
      expect(pads.some((pad) => pad.x === x && pad.y === -y && pad.size === size)).toBe(true);
      expect(pads.some((pad) => pad.x === -x && pad.y === y && pad.size === size)).toBe(true);
    }
  });

  it("X3 finds ranks by the names that people write", () => {
    for (const { name, fromMmr } of ranks) {
      expect(findRank(name)?.name).toBe(name);
      expect(rankOfMmr(fromMmr).name).toBe(name);
    }
    const found = ["diamond 2", " GOLD  iii ", "ssl", "gc1", "GC 2"].map((name) => findRank(name)?.name);
    expect(found).toEqual([
      "Diamond II",
      "Gold III",
      "Supersonic Legend",
      "Grand Champion I",
      "Grand Champion II",
    ]);
    for (const name of ["", "Diamond", "Diamond 4", "constructor", "__proto__", "toString"])
      expect(findRank(name)).toBeUndefined();
    expect(metrics.get("constructor")).toBeUndefined();
  });

  it("X3 knows how many players reach a rank", () => {
    const [bronze, legend] = [ranks[0]!, ranks[21]!];
    expect(topPercent(bronze, "doubles")).toBeCloseTo(100, 1);
    expect(topPercent(legend, "doubles")).toBe(0.018);
  });
});

/** Whether many values of a statistic are cut at its limits. */
function isCut(name: keyof typeof spreads, expected: number): boolean {
  const { min, max, players, matches } = spreads[name];
  const sd = Math.hypot(players, matches);
  return expected - 2 * sd < min || expected + 2 * sd > max;
}

function replaysOf(sample: Sample) {
  const lines = Map.groupBy(sample.lines, ({ replay_id }) => replay_id);
  return sample.replays.map((replay) => ({ replay, lines: lines.get(replay.replay_id) ?? [] }));
}
