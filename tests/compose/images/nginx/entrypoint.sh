# What nginx's image does before its command: name the resolvers, fill in the templates.
set -eu
if [ -n "${NGINX_ENTRYPOINT_LOCAL_RESOLVERS:-}" ]; then
    NGINX_LOCAL_RESOLVERS=$(awk '$1 == "nameserver" { printf "%s%s", gap, $2; gap = " " }' /etc/resolv.conf)
    export NGINX_LOCAL_RESOLVERS
fi
filled=$(env | cut -d= -f1 | grep -E "$NGINX_ENVSUBST_FILTER" | sed 's/.*/${&}/')
for template in /etc/nginx/templates/*.template; do
    envsubst "$filled" < "$template" > "$NGINX_ENVSUBST_OUTPUT_DIR/$(basename "$template" .template)"
done
exec "$@"
