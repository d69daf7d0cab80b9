import "./styles/workout.css";
import "./styles/workout-end.css";
import "./styles/card-forms.css";
import "./styles/progress.css";

export { type TrainerFace, trainerFace } from "./face/trainer-face.tsx";
