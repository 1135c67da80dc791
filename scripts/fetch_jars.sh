# Sourced by the scripts that install servers of the tests: jars, with all they ask for, outside of the repository.
# The caller has set `cache`, and `purpose`: what is skipped without the jars.
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies

need_java_and_maven() {
  for program in mvn java; do
    if ! command -v "$program" >/dev/null; then
      echo "there is no $program; without it $purpose are skipped." >&2
      exit 0
    fi
  done
}

# fetch FOLDER [EXCLUSIONS], a dependency a line on standard input: group:artifact:version
fetch() {
  local folder="$cache/$1" without="${2:-}" aside
  [ -d "$folder" ] && return
  echo "fetching $(basename "$folder") ..."
  mkdir -p "$cache"
  aside=$(mktemp -d "$cache/fetching.XXXXXX")
  {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>headwater</groupId><artifactId>jars</artifactId><version>1</version><dependencies>'
    while IFS=: read -r group artifact version; do
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>$without</dependency>"
    done
    echo '</dependencies></project>'
  } >"$aside/pom.xml"
  if ! mvn -B -q -f "$aside/pom.xml" "$plugin" -DincludeScope=runtime "-DoutputDirectory=$aside/jars" >"$aside/log" 2>&1; then
    tail -n 20 "$aside/log" >&2
    rm -rf "$aside"
    echo "$1 could not be fetched; without it $purpose are skipped." >&2
    exit 0
  fi
  mv -T "$aside/jars" "$folder" 2>/dev/null || true # somebody else may have been faster
  rm -rf "$aside"
}
