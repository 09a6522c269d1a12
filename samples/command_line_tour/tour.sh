#!/bin/sh
# A tour of the commands. Usage: sh tour.sh PICTURE FOLDER
# Every result is written to FOLDER, which must not exist yet.
set -eu
picture=$1
folder=$2
mkdir "$folder"

echo "1. Make a key"
sudokucrypt keygen -o "$folder/my.key"

echo "2. Scramble, and look at what the picture says about itself"
sudokucrypt scramble "$picture" -o "$folder/scrambled.png" --key "$folder/my.key"
sudokucrypt info "$folder/scrambled.png"

echo "3. Scramble blocks of 16 x 16 pixels, and cover only a rectangle"
sudokucrypt scramble "$picture" -o "$folder/blocks.png" --unit block --block-size 16 \
    --key "$folder/my.key"
sudokucrypt redact "$picture" -o "$folder/rectangle.png" --region 40,30,120,90 \
    --key "$folder/my.key"

echo "4. Encrypt, and decrypt through a pipe"
sudokucrypt encrypt "$picture" -o "$folder/encrypted.png" --key "$folder/my.key"
sudokucrypt decrypt - -o - --key "$folder/my.key" < "$folder/encrypted.png" \
    > "$folder/decrypted.png"

echo "5. Restore, and try another key"
sudokucrypt unscramble "$folder/scrambled.png" -o "$folder/restored.png" --key "$folder/my.key"
sudokucrypt keygen -o "$folder/other.key"
if sudokucrypt unscramble "$folder/scrambled.png" -o "$folder/wrong.png" \
    --key "$folder/other.key"; then
    exit 1
fi
echo "Nothing was written with the other key."
