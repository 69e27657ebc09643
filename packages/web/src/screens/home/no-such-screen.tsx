import Compass from "lucide-react/icons/compass";
import { LinkButton } from "../../kit/button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty } from "../../kit/states.tsx";

export default function NoSuchScreen() {
  return (
    <Screen title="Nothing here">
      <Empty
        icon={Compass}
        title="There is no such screen"
        action={<LinkButton href="/">Go home</LinkButton>}
      >
        The address may be old or mistyped.
      </Empty>
    </Screen>
  );
}
