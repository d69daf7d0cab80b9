const STARTERS = [
  "Good morning",
  "Help me plan today: write, call Mum, go for a run",
  "I can't stop thinking about work",
];

/** What is there before anything was said. */
export function Welcome({ onStart }: { onStart: (text: string) => void }) {
  return (
    <section className="welcome" aria-labelledby="welcome-title">
      <h1 id="welcome-title">{greetingAt(new Date().getHours())}</h1>
      <p>
        Sage is a coach for the day ahead. Say hello, or begin with what is on your mind. The Log button shows
        what happens underneath: every message, call and result, written down before it counts.
      </p>
      <ul className="starters" aria-label="Ways to begin">
        {STARTERS.map((text) => (
          <li key={text}>
            <button type="button" className="starter" data-testid="starter" onClick={() => onStart(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function greetingAt(hour: number): string {
  if (hour < 5) return "Still up?";
  if (hour < 12) return "Good morning.";
  if (hour < 18) return "Good afternoon.";
  return "Good evening.";
}
