import type { MatchLine, PlaySession, RecentSessions } from "../../src/base/shapes.ts";
import { AsTable } from "../base/as-table.tsx";
import { clockOf, counted, localDay, playlistName, signed, timeOf } from "../base/words.ts";

/** The last sessions, newest first, with the results of their matches in order. */
export function SessionsTable({ sessions }: Pick<RecentSessions, "sessions">) {
  return (
    <>
      <table className="rl-table rl-sessions">
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Matches</th>
            <th scope="col" className="rl-number">
              MMR
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <Row key={session.started_at} session={session} />
          ))}
        </tbody>
      </table>
      <AsTable
        of="all matches of these sessions"
        columns={["Match", "Playlist", "Result", "Score", "Goals", "Assists", "Saves", "Shots"]}
        rows={sessions.flatMap(({ replays }) => replays.map(cellsOf))}
      />
    </>
  );
}

function Row({ session }: { session: PlaySession }) {
  const { started_at, wins, losses, mmr_change, replays } = session;
  const playlists = [...new Set(replays.map(({ playlist }) => playlistName(playlist)))];
  return (
    <tr data-testid="rl-session">
      <th scope="row">
        {localDay(started_at)}
        <span className="rl-note">
          {clockOf(started_at)} · {playlists.join(", ")}
        </span>
      </th>
      <td>
        <span className="rl-form" aria-hidden="true">
          {replays.map(({ replay_id, won, result }) => (
            <i key={replay_id} className={won ? "rl-won" : "rl-lost"} title={result}>
              {won ? "W" : "L"}
            </i>
          ))}
        </span>
        <span className="rl-note">
          {counted(wins, "win", "wins")}, {counted(losses, "loss", "losses")}
        </span>
      </td>
      <td className="rl-number">{signed(mmr_change)}</td>
    </tr>
  );
}

function cellsOf(match: MatchLine): string[] {
  const { played_at, playlist, won, result, score, goals, assists, saves, shots } = match;
  const numbers = [score, goals, assists, saves, shots].map(String);
  return [timeOf(played_at), playlistName(playlist), `${won ? "Won" : "Lost"} ${result}`, ...numbers];
}
