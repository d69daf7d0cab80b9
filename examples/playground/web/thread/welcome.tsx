import { useFace } from "../face/face.ts";

/** Shows the greeting and suggestions of a new conversation. */
export function Welcome({ onStart }: { onStart: (text: string) => void }) {
  const { words, starters, Begin } = useFace().welcome;
  return (
    <section className="welcome" aria-labelledby="welcome-title">
      <h1 id="welcome-title">{greetingAt(new Date().getHours())}</h1>
      <p>{words}</p>
      {Begin === undefined ? <Starters {...{ starters, onStart }} /> : <Begin onStart={onStart} />}
    </section>
  );
}

interface StartersProps {
  starters: readonly string[];
  onStart: (text: string) => void;
}

function Starters({ starters, onStart }: StartersProps) {
  return (
    <ul className="starters" aria-label="Ways to begin">
      {starters.map((text) => (
        <li key={text}>
          <button type="button" className="starter" data-testid="starter" onClick={() => onStart(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

function greetingAt(hour: number): string {
  if (hour < 5) return "Still up?";
  if (hour < 12) return "Good morning.";
  if (hour < 18) return "Good afternoon.";
  return "Good evening.";
}
