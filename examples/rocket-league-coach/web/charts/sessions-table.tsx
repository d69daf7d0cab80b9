import { AsTable } from "@pawl/example-page-parts";
import type { MatchLine, PlaySession, RecentSessions } from "../../src/base/shapes.ts";
import { nameOf, useOpenReplay } from "../base/open-replay.ts";
import { clockOf, counted, localDay, playlistName, signed, timeOf } from "../base/words.ts";

/** The last sessions, newest first, with the results of their matches in order. */
export function SessionsTable({ sessions }: Pick<RecentSessions, "sessions">) {
  return (
    <>
      <table className="number-table rl-sessions">
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
        <span className="rl-form">
          {replays.map((match) => (
            <Match key={match.replay_id} match={match} />
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

/** One match of a session: won or lost. If the page can open matches, it is a button for that. */
function Match({ match }: { match: MatchLine }) {
  const replay = useOpenReplay();
  const { won, result, replay_id } = match;
  const look = won ? "rl-won" : "rl-lost";
  const letter = won ? "W" : "L";
  if (replay === undefined)
    return (
      <i className={look} title={result} aria-hidden="true">
        {letter}
      </i>
    );
  const isOpen = replay.match?.replay_id === replay_id;
  return (
    <button
      type="button"
      className={look}
      title={result}
      aria-label={`Look at ${nameOf(match)}`}
      aria-pressed={isOpen}
      data-testid="rl-match"
      onClick={() => replay.open(isOpen ? undefined : match)}
    >
      {letter}
    </button>
  );
}

function cellsOf(match: MatchLine): string[] {
  const { played_at, playlist, won, result, score, goals, assists, saves, shots } = match;
  const numbers = [score, goals, assists, saves, shots].map(String);
  return [timeOf(played_at), playlistName(playlist), `${won ? "Won" : "Lost"} ${result}`, ...numbers];
}
