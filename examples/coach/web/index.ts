import "./styles/pulse.css";
import "./styles/pulse-result.css";
import "./styles/replace-plan.css";
import "./styles/files.css";
import "./styles/sessions.css";

export { type CoachFace, coachFace } from "./face/coach-face.tsx";
