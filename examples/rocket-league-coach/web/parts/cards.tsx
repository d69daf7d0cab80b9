import { type FunctionComponent, lazy } from "react";
import type {
  BoostAnalysis,
  CoachingNote,
  CoachingNotes,
  PlayerTrends,
  RankBenchmarks,
  RecentSessions,
  ReplayDetails,
  RotationAnalysis,
} from "../../src/base/shapes.ts";
import { Card, scopeOf } from "../base/card.tsx";
import type { ToolPart } from "../base/seam.ts";
import { counted, dayOf, playlistName, timeOf } from "../base/words.ts";
import { resultWith } from "./shape.ts";

// Loads the charts only when a conversation has one.
const load = () => import("../charts/index.ts");
const BenchmarkBars = lazy(async () => ({ default: (await load()).BenchmarkBars }));
const TrendLines = lazy(async () => ({ default: (await load()).TrendLines }));
const BoostMap = lazy(async () => ({ default: (await load()).BoostMap }));
const CompareBars = lazy(async () => ({ default: (await load()).CompareBars }));
const RotationSummary = lazy(async () => ({ default: (await load()).RotationSummary }));
const SessionsTable = lazy(async () => ({ default: (await load()).SessionsTable }));
const Scoreboard = lazy(async () => ({ default: (await load()).Scoreboard }));

type Result = ToolPart["result"];

function Benchmarks({ result }: { result: Result }) {
  const data = resultWith<RankBenchmarks>(result, { metrics: "array", playlist: "text" });
  if (data === undefined) return null;
  const about =
    data.you === null
      ? `${playlistName(data.playlist)} · no matches of yours in ${counted(data.days_back, "day", "days")}`
      : `${scopeOf({ ...data, matches: data.you.matches })} · you are ${data.you.rank}`;
  return (
    <Card title="You and your rank" about={about} name="benchmarks">
      <BenchmarkBars {...data} />
    </Card>
  );
}

function Trends({ result }: { result: Result }) {
  const data = resultWith<PlayerTrends>(result, { windows: "array", series: "array" });
  return data === undefined ? null : (
    <Card title="Your progress" about={`${scopeOf(data)} · by ${data.window}`} name="trends">
      <TrendLines {...data} />
    </Card>
  );
}

function Boost({ result }: { result: Result }) {
  const data = resultWith<BoostAnalysis>(result, { pads: "array", economy: "array", field: "object" });
  return data === undefined ? null : (
    <Card title="Your boost" about={`${scopeOf(data)} · beside ${data.you.rank}`} name="boost">
      <div className="rl-beside">
        <BoostMap {...data} />
        <CompareBars of="Boost" rows={data.economy} />
      </div>
    </Card>
  );
}

function Rotations({ result }: { result: Result }) {
  const data = resultWith<RotationAnalysis>(result, { thirds: "array", positioning: "array" });
  return data === undefined ? null : (
    <Card title="Your rotations" about={`${scopeOf(data)} · beside ${data.you.rank}`} name="rotations">
      <RotationSummary {...data} />
    </Card>
  );
}

function Sessions({ result }: { result: Result }) {
  const data = resultWith<RecentSessions>(result, { sessions: "array", days_back: "number" });
  return data === undefined ? null : (
    <Card
      title="Your last sessions"
      about={`${counted(data.sessions.length, "session", "sessions")} in ${counted(data.days_back, "day", "days")}`}
      name="sessions"
    >
      <SessionsTable {...data} />
    </Card>
  );
}

function Replay({ result }: { result: Result }) {
  const data = resultWith<ReplayDetails>(result, { teams: "array", map: "text" });
  if (data === undefined) return null;
  const minutes = `${Math.floor(data.duration_seconds / 60)} min ${Math.round(data.duration_seconds % 60)} s`;
  const about = [timeOf(data.played_at), playlistName(data.playlist), data.map, minutes];
  if (data.overtime) about.push("overtime");
  return (
    <Card title={data.won ? "A match you won" : "A match you lost"} about={about.join(" · ")} name="replay">
      <Scoreboard {...data} />
    </Card>
  );
}

function Note({ topic, text, written_at }: CoachingNote) {
  return (
    <div className="rl-written" data-testid="rl-written">
      <p className="rl-note">
        {topic} · {dayOf(written_at)}
      </p>
      <p>{text}</p>
    </div>
  );
}

function SavedNote({ result }: { result: Result }) {
  const data = resultWith<CoachingNote>(result, { topic: "text", text: "text", written_at: "text" });
  return data === undefined ? null : <Note {...data} />;
}

function Notes({ result }: { result: Result }) {
  const data = resultWith<CoachingNotes>(result, { notes: "array" });
  if (data === undefined || data.notes.length === 0) return null;
  return (
    <details className="as-table">
      <summary>{counted(data.notes.length, "note", "notes")}</summary>
      {data.notes.map((note) => (
        <Note key={note.note_id} {...note} />
      ))}
    </details>
  );
}

/** The card of each tool's result. */
export const CARDS: ReadonlyMap<string, FunctionComponent<{ result: Result }>> = new Map([
  ["get_rank_benchmarks", Benchmarks],
  ["get_player_trends", Trends],
  ["get_recent_sessions", Sessions],
  ["get_replay", Replay],
  ["analyze_boost", Boost],
  ["analyze_rotations", Rotations],
  ["save_coaching_note", SavedNote],
  ["get_coaching_notes", Notes],
]);
