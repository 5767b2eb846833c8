# What nginx's image does before its command: name the resolvers, fill in the templates.
set -eu
if [ -n "${NGINX_ENTRYPOINT_LOCAL_RESOLVERS:-}" ]; then
    # The first alone: Podman 4 names the machine's own after it, which knows no service, and nginx
    # would ask them in turn.
    NGINX_LOCAL_RESOLVERS=$(awk '$1 == "nameserver" { print $2; exit }' /etc/resolv.conf)
    export NGINX_LOCAL_RESOLVERS
fi
filled=$(env | cut -d= -f1 | grep -E "$NGINX_ENVSUBST_FILTER" | sed 's/.*/${&}/')
for template in /etc/nginx/templates/*.template; do
    envsubst "$filled" < "$template" > "$NGINX_ENVSUBST_OUTPUT_DIR/$(basename "$template" .template)"
done
exec "$@"
