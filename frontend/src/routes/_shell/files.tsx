import { createFileRoute } from "@tanstack/react-router";
import { App } from "antd";
import { FilesPage } from "@/features/files/components/files-page";
import { readFileSearch } from "@/features/files/model/paths";

export const Route = createFileRoute("/_shell/files")({
  validateSearch: readFileSearch,
  component: FilesRoute,
});

function FilesRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <App component={false}>
      <FilesPage search={search} onSearch={(next) => void navigate({ search: next })} />
    </App>
  );
}
