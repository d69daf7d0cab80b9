import type { ReactNode } from "react";
import { counted, playlistName } from "./words.ts";

interface CardProps {
  title: string;
  /** What the numbers are about, e.g. `Doubles · 61 matches in 30 days`. */
  about: string;
  /** The name by which tests find the card. */
  name: string;
  children: ReactNode;
}

/** The frame of a chart: its title, and what it is about. */
export function Card({ title, about, name, children }: CardProps) {
  return (
    <section className="rl-card" aria-label={title} data-testid={`rl-${name}`}>
      <header className="rl-head">
        <h3>{title}</h3>
        <p>{about}</p>
      </header>
      {children}
    </section>
  );
}

/** Returns what a card is about. */
export function scopeOf(scope: { playlist: string; matches: number; days_back: number }): string {
  const matches = counted(scope.matches, "match", "matches");
  return `${playlistName(scope.playlist)} · ${matches} in ${counted(scope.days_back, "day", "days")}`;
}
