import { Screen } from "../../kit/screen.tsx";
import { Schedules } from "./schedules.tsx";

export default function ScheduleScreen() {
  return (
    <Screen title="Schedules" lead="Agents that run at set times.">
      <Schedules />
    </Screen>
  );
}
