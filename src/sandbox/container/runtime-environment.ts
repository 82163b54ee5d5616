import { programEnvironment } from "../../config/environment.ts";

/** What podman and docker need of the environment to find their own; no secret of ours is in it. */
export function runtimeEnvironment(): Record<string, string> {
  return programEnvironment([
    ...["CONTAINER_HOST", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "DBUS_SESSION_BUS_ADDRESS"],
    ...["DOCKER_CERT_PATH", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_HOST", "DOCKER_TLS_VERIFY"],
  ]);
}
