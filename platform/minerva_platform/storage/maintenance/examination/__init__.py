"""What `minerva doctor` looks at: each module gives findings and changes nothing."""
