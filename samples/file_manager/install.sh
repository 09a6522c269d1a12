#!/bin/sh
# Adds "Encrypt" and "Decrypt" to the menus of Nautilus, Nemo and Dolphin, for this user.
# Usage: sh install.sh KEYFILE, and sh install.sh --remove
set -eu
data=${XDG_DATA_HOME:-$HOME/.local/share}
nautilus=$data/nautilus/scripts nemo=$data/nemo/actions dolphin=$data/kio/servicemenus
helper=$data/sudokucrypt/file-manager

if [ "${1-}" = --remove ]; then
    rm -f "$nautilus/Encrypt" "$nautilus/Decrypt" "$helper"
    rm -f "$nemo/sudokucrypt-encrypt.nemo_action" "$nemo/sudokucrypt-decrypt.nemo_action"
    rm -f "$dolphin/sudokucrypt.desktop"
    exit
fi
key=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
program=$(command -v sudokucrypt) || { echo "sudokucrypt is not on the path" >&2; exit 1; }
sudokucrypt key show "$key" > /dev/null
case "$key$program$helper" in
*[\"\`\$\\%]*)
    echo "paths with any of \" \` \$ \\ % are not supported" >&2
    exit 1
    ;;
esac
mkdir -p "$nautilus" "$nemo" "$dolphin" "$(dirname "$helper")"

# One script does the work: results lie beside their inputs, and a failure is shown.
cat > "$helper" << END
#!/bin/sh
command=\$1
shift
problems=\$("$program" "\$command" --key "$key" -- "\$@" 2>&1) && exit
code=\$?
if command -v notify-send > /dev/null; then
    notify-send "sudokucrypt \$command" "\$problems"
else
    printf '%s\n' "\$problems" >&2
fi
exit \$code
END
chmod +x "$helper"

for name in Encrypt Decrypt; do
    command=$(echo "$name" | tr ED ed)
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$helper" "$command" > "$nautilus/$name"
    chmod +x "$nautilus/$name"
    cat > "$nemo/sudokucrypt-$command.nemo_action" << END
[Nemo Action]
Name=$name
Comment=$name with sudokucrypt
Exec="$helper" $command %F
Selection=notnone
Extensions=nodirs;
Quote=double
END
done

cat > "$dolphin/sudokucrypt.desktop" << END
[Desktop Entry]
Type=Service
MimeType=application/octet-stream;
Actions=encrypt;decrypt;

[Desktop Action encrypt]
Name=Encrypt
Exec="$helper" encrypt %F

[Desktop Action decrypt]
Name=Decrypt
Exec="$helper" decrypt %F
END
chmod +x "$dolphin/sudokucrypt.desktop" # KDE runs only service menus that are executable
echo "Encrypt and Decrypt are in the menus of Nautilus (Scripts), Nemo and Dolphin."
