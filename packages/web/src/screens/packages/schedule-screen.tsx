import { Screen } from "../../kit/screen.tsx";
import { Schedules } from "./schedules.tsx";

export default function ScheduleScreen() {
  return (
    <Screen title="Schedules" lead="Agents that work at set times: next run, last outcome, run now, pause.">
      <Schedules />
    </Screen>
  );
}
